"""Free email hosts, whose addresses say nothing about a company."""

HOSTS = frozenset(
    """
    126.com 163.com aim.com alice.it aol.com arcor.de att.net bell.net bigpond.com bluewin.ch bol.com.br btinternet.com
    bt.com charter.net comcast.net cox.net duck.com email.com fastmail.com fastmail.fm foxmail.com free.fr freenet.de
    gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hey.com hotmail.co.uk hotmail.com hotmail.de
    hotmail.es hotmail.fr hotmail.it hushmail.com icloud.com inbox.com inbox.ru interia.pl laposte.net libero.it
    list.ru live.co.uk live.com live.fr live.nl mac.com mail.com mail.de mail.ru me.com msn.com naver.com o2.pl
    onet.pl optonline.net optusnet.com.au orange.fr outlook.com outlook.de outlook.es outlook.fr passport.com pm.me
    posteo.de privaterelay.appleid.com proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com
    rocketmail.com rogers.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com sky.com skynet.be sympatico.ca t-online.de
    telenet.be terra.com.br tiscali.it tutanota.com tuta.io uol.com.br verizon.net virgilio.it virginmedia.com
    wanadoo.fr web.de wp.pl xtra.co.nz ya.ru yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.br
    yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru ymail.com zoho.com zohomail.com zohomail.eu
    """.split()
)


def company_host(address: str) -> str:
    """Return the company host of an address; '' for a free-mail host."""
    host = address.rpartition("@")[2]
    return "" if host in HOSTS else host
