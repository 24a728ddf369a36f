"""Mail hosts whose addresses say nothing about a company: free ones, internet providers, alumni clubs, throwaways."""

import re

from disposable_email_domains import blocklist

# Brands with a host in many countries, such as yahoo.co.jp, gmx.at and hotmail.it.
_BRANDS = re.compile(
    r"(?:aol|fastmail|gmail|gmx|googlemail|hotmail|lycos|msn|outlook|posteo|protonmail|rediffmail|rocketmail|tiscali"
    r"|tutamail|tutanota|wanadoo|windowslive|yahoo|yandex|ymail)\.[a-z]{2,4}(?:\.[a-z]{2})?"
)
HOSTS = frozenset(
    """
    123mail.org 126.com 139.com 163.com 163.net 188.com 189.cn 263.net abv.bg accountant.com acm.org adelphia.net
    aeiou.pt africamail.com aim.com airmail.net alice.de alice.it aliceadsl.fr aliyun.com alumni.com ameritech.net
    ananzi.co.za angelfire.com apollo.lv arcor.de arnet.com.ar atlas.cz att.net attbi.com azet.sk bahnhof.se bbox.fr
    bell.net bellatlantic.net bellsouth.net berlin.de bezeqint.net bigfoot.com biglobe.ne.jp bigmir.net bigpond.com
    bigpond.net bigpond.net.au bk.ru bluemail.ch bluewin.ch blueyonder.co.uk bol.com.br bol.de bredband.net
    bresnan.net btconnect.com btinternet.com btopenworld.com c2i.net c3.hu cableonda.net cableone.net caiway.nl
    canada.com cantab.net cantv.net care2.com casema.nl catholic.org cegetel.net centrum.cz centrum.sk centurylink.net
    centurytel.net charter.net chartermi.net chat.ru chello.at chello.cz chello.hu chello.nl chello.pl chello.se
    citromail.hu clear.net.nz club-internet.fr cock.li cogeco.ca comcast.net compuserve.com computer.org
    consultant.com cox.net cs.com cyber.net.pk daum.net debitel.net directbox.com disroot.org docomo.ne.jp doctor.com
    dr.com dslextreme.com duck.com dunaweb.hu e-mail.de e-mail.jp e-mail.ua earthlink.net eclipso.ch eclipso.de
    eclipso.eu eircom.net elisanet.fi email.com email.cz email.de email.it email.ro email.ua embarqmail.com
    emirates.net.ae engineer.com eresmas.com erols.com europe.com everyone.net ewetel.de excite.co.jp excite.com
    excite.it execs.com ezweb.ne.jp fastimap.com fastservice.com fea.st fibertel.com.ar firemail.de flash.net
    fmail.co.uk foxmail.com free.fr freecall.de freemail.gr freemail.hu freemail.it freenet.co.uk freenet.de
    freeserve.co.uk freesurf.ch freesurf.fr freeuk.com front.ru frontier.com frontiernet.net fsmail.net fuse.net
    fusemail.com gamil.com gazeta.pl geocities.com globalnet.co.uk globetrotter.net globo.com globomail.com gmai.com
    gmaill.com gmal.com gmil.com gnail.com go.com go.ro go2.pl googlegroups.com gportal.hu hanafos.com hanmail.net
    hansenet.de hccnet.nl hetnet.nl hey.com hispavista.com hispeed.ch homail.com home.nl home.ro home.se homtail.com
    hot.ee hotbox.ru hotmal.com hush.ai hush.com hushmail.com i.softbank.jp i.ua i12.com icloud.com icqmail.com
    idirect.com ieee.org iespana.es ig.com.br iinet.net.au ik.me iki.fi imap.cc iname.com inbox.com inbox.eu inbox.lt
    inbox.lv inbox.ru india.com indiatimes.com infinito.it inmail.sk inode.at insightbb.com interfree.it interia.eu
    interia.pl internode.on.net inwind.it iol.cz iol.ie iol.it iol.pt iprimus.com.au ireland.com jippii.fi jubii.dk
    juno.com kabelmail.de kabsi.at kolumbus.fi kpnmail.nl kpnplanet.nl laposte.net latinmail.com lavabit.com
    lawyer.com lenta.ru libero.it libertysurf.fr lineone.net linuxmail.org list.ru live.at live.be live.ca live.cl
    live.cn live.co.kr live.co.uk live.co.za live.com live.com.ar live.com.au live.com.mx live.com.my live.com.pt
    live.com.sg live.de live.dk live.fi live.fr live.hk live.ie live.in live.it live.jp live.nl live.no live.ru
    live.se loxinfo.co.th luukku.com luukku.fi mac.com magenta.at mail.be mail.bg mail.ch mail.co.za mail.com mail.de
    mail.dk mail.ee mail.goo.ne.jp mail.gr mail.ru mail.tele.dk mail.telepac.pt mail.ua mail2world.com mailbox.hu
    mailbox.org mailcan.com mailfence.com mailo.com mailoo.org maktoob.com maltanet.net mchsi.com me.com medscape.com
    mindspring.com mixmail.com mm.st mobileme.com montevideo.com.uy msk.ru mts.net multikabel.net mweb.co.za
    myfastmail.com mymail.ch mynet.com myway.com nate.com naver.com neostrada.pl netcabo.pt netcologne.de netcom.com
    netcourrier.com netins.net netscape.com netscape.net netspace.net.au netti.fi netvigator.com netvision.net.il
    netzero.com netzero.net neuf.fr newmail.ru nifty.com nifty.ne.jp noos.fr ntlworld.com null.net numericable.fr
    o2.co.uk o2.pl o2mail.de o2online.de ocn.ne.jp oi.com.br onet.eu onet.pl online.de online.fr online.nl online.no
    onlinehome.de op.pl openmailbox.org optimum.net optonline.net optushome.com.au optusnet.com.au orange.es orange.fr
    orange.net orange.pl orcon.net.nz otenet.gr ozemail.com.au pacbell.net pandora.be panix.com paradise.net.nz
    parsmail.com passport.com pchome.com.tw peoplepc.com pipeline.com pisem.net plala.or.jp planet.nl planetmail.com
    pm.me pobox.com pobox.sk pochta.ru poczta.fm portugalmail.pt post.com post.cz post.harvard.edu post.sk poste.it
    postino.it postmaster.co.uk primus.ca privaterelay.appleid.com prodigy.net prodigy.net.mx programmer.net
    prokonto.pl proton.me ptd.net purelymail.com q.com qip.ru qq.com quickline.ch quicknet.nl qwest.net r7.com
    rambler.ru rcn.com rediffmailpro.com relay.firefox.com rin.ru riseup.net roadrunner.com rogers.com rr.com
    runbox.com safe-mail.net salzburg-online.at sapo.pt sasktel.net saunalahti.fi sbcglobal.net scarlet.be sci.fi
    scientist.com sdf.org sent.as sent.com seznam.cz sfr.fr shaw.ca she.com simplelogin.co simplelogin.com sina.cn
    sina.com singnet.com.sg sky.com skynet.be slingshot.co.nz snafu.de sneakemail.com snet.net sohu.com sonic.net
    spamcop.net spamgourmet.com spb.ru speakeasy.net spray.se sprintmail.com sprynet.com startmail.com stofanet.dk
    suddenlink.net suddenlinkmail.com supereva.it surewest.net swbell.net sweb.cz swipnet.se swissonline.ch
    sympatico.ca t-online.de t-online.hu talk21.com talktalk.co.uk talktalk.net tdcadsl.dk tds.net techie.com
    telcel.net tele2.at tele2.fr tele2.it tele2.nl tele2.se telefonica.net telenet.be telepac.pt teletu.it telfort.nl
    telia.com telkomsa.net telus.net telusplanet.net tenbit.pl terra.cl terra.com terra.com.ar terra.com.br
    terra.com.mx terra.com.pe terra.es tim.it tin.it tiscalinet.it tlen.pl tom.com tpg.com.au tut.by tuta.com tuta.io
    tvcablenet.be twc.com ukonline.co.uk ukr.net ukrpost.net uol.com.ar uol.com.br upcmail.cz upcmail.hu upcmail.ie
    upcmail.nl usa.com usa.net users.noreply.github.com users.sourceforge.net utanet.at verizon.net versanet.de
    versatel.nl vfemail.net videotron.ca videotron.net virgilio.it virgin.net virginmedia.com visto.com vivaldi.net
    vodafone.de vodafone.it vodafone.nl vodamail.co.za voila.fr volia.net volny.cz vp.pl vtr.net walla.co.il walla.com
    web.de westnet.com.au who.net windstream.net wow.com wowway.com wp.pl writeme.com xnet.co.nz xplornet.com
    xs4all.nl xtra.co.nz ya.ru yandex-mail.ru yeah.net zahav.net.il ziggo.nl ziggomail.com zoho.com zohomail.com
    zohomail.eu zohomail.in zonnet.nl zoznam.sk
    """.split()
)
_ALUMNI = frozenset(("alum", "alumni", "alumnos", "alumno"))


def company_host(address: str) -> str:
    """Return the host of an address; '' for one whose addresses say nothing about a company."""
    host = address.rpartition("@")[2]
    return "" if is_free(host) else host


def is_free(host: str) -> bool:
    """Return whether people of many companies have an address at this host."""
    labels = host.split(".")
    hosts = [".".join(labels[start:]) for start in range(len(labels) - 1)]
    return not _ALUMNI.isdisjoint(labels) or any(
        one in HOSTS or one in blocklist or _BRANDS.fullmatch(one) for one in hosts
    )
