"""Websites that many companies share, whose address says nothing about a company."""

# Networks, directories and site builders: whatever stands behind the host.
SITES = frozenset(
    """
    about.me angel.co angellist.com apps.apple.com beacons.ai behance.net bing.com bit.ly bitly.com blogger.com
    calendly.com campsite.bio carrd.co clutch.co crunchbase.com discord.com discord.gg docs.google.com dribbble.com
    drive.google.com eventbrite.com f6s.com facebook.com fb.com fb.me fiverr.com flickr.com form.jotform.com forms.gle
    g.co g.page gitbook.io glassdoor.com goo.gl gumroad.com instagram.com issuu.com kickstarter.com kununu.com
    linkedin.com linktr.ee lnkd.in maps.google.com medium.com meetup.com messenger.com myspace.com northdata.com
    northdata.de notion.site notion.so open.spotify.com opencorporates.com patreon.com pinterest.com play.google.com
    producthunt.com quora.com reddit.com sites.google.com snapchat.com soundcloud.com substack.com t.co t.me telegram.me
    threads.net tiktok.com tinyurl.com trustpilot.com tumblr.com twitch.tv twitter.com upwork.com vimeo.com vk.com wa.me
    wechat.com weebly.com weibo.com wellfound.com whatsapp.com wikipedia.org wixsite.com wordpress.com x.com xing.com
    yelp.com youtu.be youtube.com
    """.split()
)
# Companies that rent out places: the bare host is their own website, a page of it belongs to another company.
LANDLORDS = frozenset(
    """
    airtable.com amazon.co.uk amazon.com amazon.de ebay.co.uk ebay.com ebay.de etsy.com github.com gitlab.com google.com
    indeed.com naver.com typeform.com wix.com zoom.us
    """.split()
)
# Private public suffixes under which companies register a domain as anywhere else.
SOLD_SUFFIXES = frozenset(
    """
    ae.org asso.fr biz.ua br.com cn.com co.at co.com co.cz co.nl co.no co.pl co.ua com.de com.fr com.ru com.se com.ua
    de.com eu.com gb.net gr.com hu.net in.net jp.net jpn.com ltd.ua mex.com or.at pp.ua ru.com sa.com se.net uk.com
    uk.net us.com us.org za.bz za.com
    """.split()
)
# Names of intranets, the same in many companies.
INTRANETS = frozenset("corp home internal invalid lan local localdomain localhost".split())
