"""Which trace on a home page means which technology: where to look, its name, what it is for, and what stands there.

A trace lies in an address that the page loads, in its generator, in its source, or in the header of that name. What a
pattern captures is the version.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One trace of a technology."""

    where: str
    name: str
    category: str
    pattern: re.Pattern[str]


_WRITTEN = r"""
address | Google Analytics | Analytics | google-analytics\.com/|googletagmanager\.com/gtag/js\?id=(?:G|UA)-
source | Google Tag Manager | Tag manager | googletagmanager\.com/gtm\.js|googletagmanager\.com/ns\.html
source | Segment | Analytics | cdn\.segment\.com/
source | Mixpanel | Analytics | cdn\.mxpnl\.com/
source | Amplitude | Analytics | cdn\.amplitude\.com/
source | Heap | Analytics | (?:cdn\.heapanalytics\.com|heap-api\.com)/
source | PostHog | Analytics | \bi\.posthog\.com|app\.posthog\.com
address | Plausible | Analytics | plausible\.io/js/
address | Fathom | Analytics | cdn\.usefathom\.com/
source | Matomo | Analytics | matomo\.js|\.matomo\.cloud
address | Umami | Analytics | cloud\.umami\.is/
address | Simple Analytics | Analytics | scripts\.simpleanalyticscdn\.com
source | Adobe Analytics | Analytics | assets\.adobedtm\.com|\.omtrdc\.net
source | Hotjar | Session recording | static\.hotjar\.com
source | FullStory | Session recording | edge\.fullstory\.com|fullstory\.com/s/fs\.js
source | Microsoft Clarity | Session recording | clarity\.ms/tag
source | Mouseflow | Session recording | cdn\.mouseflow\.com
source | Crazy Egg | Session recording | script\.crazyegg\.com
source | Optimizely | Experiments | cdn\.optimizely\.com
source | VWO | Experiments | dev\.visualwebsiteoptimizer\.com
source | LaunchDarkly | Experiments | (?:app|clientsdk|clientstream)\.launchdarkly\.com
address | Sentry | Monitoring | (?:browser|js)\.sentry-cdn\.com
source | Datadog | Monitoring | datadoghq-browser-agent\.com|datadog-rum
source | New Relic | Monitoring | js-agent\.newrelic\.com
source | Bugsnag | Monitoring | d2wy8f7a9ursnm\.cloudfront\.net|bugsnag\.com/v
source | HubSpot | Marketing automation | js[a-z0-9-]*\.(?:hs-scripts\.com|hsforms\.net|hs-analytics\.net)
source | Marketo | Marketing automation | munchkin\.marketo\.net
source | Pardot | Marketing automation | pi\.pardot\.com|cdn\.pardot\.com
source | ActiveCampaign | Marketing automation | trackcmp\.net
source | Klaviyo | Marketing automation | static\.klaviyo\.com
source | Mailchimp | Marketing automation | chimpstatic\.com|list-manage\.com
source | Customer.io | Marketing automation | assets\.customer\.io
source | Braze | Marketing automation | js\.appboycdn\.com
source | Brevo | Marketing automation | sibautomation\.com|sibforms\.com
source | Intercom | Support | widget\.intercom\.io|js\.intercomcdn\.com
source | Zendesk | Support | static\.zdassets\.com
source | Drift | Support | js\.driftt\.com
source | Crisp | Support | client\.crisp\.chat
source | Freshchat | Support | wchat\.freshchat\.com
source | Tawk.to | Support | embed\.tawk\.to
source | LiveChat | Support | cdn\.livechatinc\.com
source | Tidio | Support | code\.tidio\.co
source | Help Scout | Support | beacon-v2\.helpscout\.net
source | Calendly | Scheduling | assets\.calendly\.com|calendly\.com/
source | Chili Piper | Scheduling | js\.chilipiper\.com
source | Typeform | Forms | embed\.typeform\.com
source | Clearbit | Visitor identification | tag\.clearbitscripts\.com
source | 6sense | Visitor identification | j\.6sc\.co
source | ZoomInfo | Visitor identification | ws(?:-assets)?\.zoominfo\.com
source | Dealfront | Visitor identification | lftracker\.leadfeeder\.com
source | Qualified | Visitor identification | js\.qualified\.com
source | LinkedIn Insight Tag | Advertising | snap\.licdn\.com
source | Meta Pixel | Advertising | connect\.facebook\.net/[^"']{2,20}/fbevents\.js
source | Google Ads | Advertising | googleadservices\.com|googletagmanager\.com/gtag/js\?id=AW-
source | Microsoft Advertising | Advertising | bat\.bing\.com
source | TikTok Pixel | Advertising | analytics\.tiktok\.com
source | X Ads | Advertising | static\.ads-twitter\.com
source | Stripe | Payments | js\.stripe\.com(?:/(v\d+))?
source | PayPal | Payments | paypal\.com/sdk/js
source | Braintree | Payments | js\.braintreegateway\.com
source | Adyen | Payments | checkoutshopper-live[a-z-]*\.adyen\.com
source | Paddle | Payments | cdn\.paddle\.com
source | Chargebee | Payments | js\.chargebee\.com
source | Klarna | Payments | js\.klarna\.com|x\.klarnacdn\.net
address | Shopify | Shop | cdn\.shopify\.com
x-shopify-stage | Shopify | Shop | .
address | WooCommerce | Shop | /plugins/woocommerce/
x-magento-cache-debug | Magento | Shop | .
address | BigCommerce | Shop | cdn\d+\.bigcommerce\.com
generator | PrestaShop | Shop | PrestaShop
generator | WordPress | Content management | WordPress ?([\d.]*)
address | WordPress | Content management | /wp-(?:content|includes)/
generator | Drupal | Content management | Drupal ?(\d*)
x-drupal-cache | Drupal | Content management | .
generator | Joomla | Content management | Joomla
generator | TYPO3 | Content management | TYPO3 CMS ?([\d.]*)
generator | Ghost | Content management | Ghost ([\d.]*)
generator | Webflow | Content management | Webflow
address | Webflow | Content management | assets(?:-global)?\.website-files\.com|cdn\.prod\.website-files\.com
x-wix-request-id | Wix | Content management | .
address | Squarespace | Content management | (?:static1|assets)\.squarespace\.com
address | Framer | Content management | framerusercontent\.com
x-hs-hub-id | HubSpot CMS | Content management | .
address | Contentful | Content management | ctfassets\.net
address | Sanity | Content management | cdn\.sanity\.io
address | Prismic | Content management | (?:images|cdn)\.prismic\.io
address | Storyblok | Content management | a\.storyblok\.com
address | Next.js | Web framework | /_next/static/
address | Nuxt | Web framework | /_nuxt/
generator | Gatsby | Web framework | Gatsby ?([\d.]*)
generator | Astro | Web framework | Astro v?([\d.]*)
generator | Hugo | Web framework | Hugo ?([\d.]*)
source | Angular | Web framework | ng-version="([\d.]+)
source | Ruby on Rails | Web framework | name="csrf-param" content="authenticity_token"
source | Django | Web framework | name=["']csrfmiddlewaretoken
set-cookie | Laravel | Web framework | laravel_session
x-powered-by | Express | Web framework | Express
x-aspnet-version | ASP.NET | Web framework | ([\d.]+)
x-powered-by | ASP.NET | Web framework | ASP\.NET
x-powered-by | PHP | Programming language | PHP/?([\d.]*)
set-cookie | PHP | Programming language | PHPSESSID
address | jQuery | Script library | jquery[-.]?(\d[\d.]*\d)?(?:\.slim)?(?:\.min)?\.js
address | Bootstrap | Script library | bootstrap(?:@(\d[\d.]*\d))?[^\n]{0,40}\.min\.(?:css|js)
address | Font Awesome | Fonts | (?:use|kit)\.fontawesome\.com
address | Google Fonts | Fonts | fonts\.(?:googleapis|gstatic)\.com
address | Adobe Fonts | Fonts | use\.typekit\.net
address | YouTube | Video | youtube(?:-nocookie)?\.com/embed
address | Vimeo | Video | player\.vimeo\.com
address | Wistia | Video | fast\.wistia\.(?:com|net)
source | OneTrust | Consent | cdn\.cookielaw\.org
source | Cookiebot | Consent | consent\.cookiebot\.com
source | Usercentrics | Consent | app\.usercentrics\.eu
source | Didomi | Consent | sdk\.privacy-center\.org
source | reCAPTCHA | Security | (?:google|recaptcha)\.(?:com|net)/recaptcha/
source | hCaptcha | Security | js\.hcaptcha\.com
source | Cloudflare Turnstile | Security | challenges\.cloudflare\.com/turnstile
server | Cloudflare | Content delivery | cloudflare
x-amz-cf-id | Amazon CloudFront | Content delivery | .
x-served-by | Fastly | Content delivery | cache-
x-akamai-transformed | Akamai | Content delivery | .
server | Akamai | Content delivery | AkamaiGHost
x-vercel-id | Vercel | Hosting | .
x-nf-request-id | Netlify | Hosting | .
server | GitHub Pages | Hosting | GitHub\.com
server | Amazon S3 | Hosting | AmazonS3
via | Heroku | Hosting | vegur|heroku
server | Fly.io | Hosting | Fly/
x-github-request-id | GitHub Pages | Hosting | .
server | nginx | Web server | nginx/?([\d.]*)
server | Apache | Web server | Apache/?([\d.]*)
server | Microsoft IIS | Web server | Microsoft-IIS/?([\d.]*)
server | LiteSpeed | Web server | LiteSpeed
server | Caddy | Web server | Caddy
"""


def _read(line: str) -> Fact:
    where, name, category, pattern = (part.strip() for part in line.split(" | ", 3))
    return Fact(where, name, category, re.compile(pattern, re.IGNORECASE))


FACTS = tuple(_read(line) for line in _WRITTEN.strip().splitlines())
