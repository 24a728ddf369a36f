"""What the people of the sandbox network write: plain English, several wordings for each tone."""

from collections.abc import Callable
from datetime import date

# {sender} is the first name of the one who wrote to them, {me} is their own, {colleague} another person's.
ANSWERS: dict[str, tuple[str, ...]] = {
    "positive": (
        "Hi {sender}, good timing, we are looking at exactly this. Happy to talk. Does Thursday work for you?\n\n{me}",
        "Thanks for reaching out, {sender}. Sounds interesting, let's set up a call next week.",
        "Yes, I would like to hear more. Can you send me a few times?\n{me}",
        "Hello {sender}, this is relevant for us. I have half an hour on Tuesday morning. Will you send an invite?",
        "Sure, let's talk. Here is my calendar: https://calendar.example/{me}. Pick any slot.",
        "Interested! What would a first conversation look like?\n\nBest,\n{me}",
        "Hi {sender}, I was going to search for something like this next month. Let's have a quick call.",
        "Good to hear from you. I'd love to see a demo, ideally with my team. Wednesday afternoon?",
        "This looks useful. Count me in for a short call, 20 minutes is fine.\n{me}",
        "Hey {sender}, happy to connect and happy to chat. I'm free on Friday after 2.",
        "That sounds great, {sender}. Let me know when suits you and I will make time.",
        "You caught me at the right moment, our current setup is not working. Let's speak this week.\n\n{me}",
        "Yes please, send me the details. If it does half of what you say we should talk.",
        "Absolutely, I am keen to learn more. Shall we say Monday at 10?",
    ),
    "negative": (
        "Hi {sender}, thanks, but this is not for us.",
        "Not interested, thank you.",
        "Thanks for the note. We already have a supplier for this and are happy with them.\n{me}",
        "No thanks. We decided against anything new this year.",
        "I appreciate you reaching out, but it's not a fit for our team.\n\n{me}",
        "We don't have a need for this. All the best, {sender}.",
        "Sorry, not a priority for us right now and I do not see that changing.",
        "I'll pass, thanks.",
        "We looked at this last year and it was not right for us. I would rather not reopen it.\n{me}",
        "No budget for this, {sender}, and no plans for it either.",
        "Thank you, but no. We build this ourselves.",
        "This isn't relevant to what I do. Good luck with it though.\n\n{me}",
        "Not for me, sorry.",
    ),
    "neutral": (
        "Thanks for connecting, {sender}.",
        "Hi {sender}, got it. Let me think about it and come back to you.",
        "Thanks, I have forwarded this internally.\n{me}",
        "I'm in the middle of a release. Could you ping me again in a few weeks?",
        "Noted. It is a busy time of the year here.",
        "Hello {sender}, nice to meet you. I read your message and will look at the link when I can.",
        "Hmm, I would have to talk to our operations people first.\n\n{me}",
        "Maybe later in the year. We are still sorting out the basics.",
        "Received, thanks.",
        "We are between two reorganisations, so I can't say yes or no at the moment.\n{me}",
        "Thanks for the message. I changed roles recently and I am still finding my way around.",
        "OK, thank you. I'll keep it in mind.",
        "Seen, thanks. More another time.",
    ),
    "question": (
        "Hi {sender}, what does it cost?",
        "How is this different from what everybody else in the market offers?\n{me}",
        "Can you tell me which companies of our size use it?",
        "Do you have something I can read first? A one-pager would do.",
        "Who are you working with in our industry, {sender}?",
        "How long does it take to get started, roughly?\n\n{me}",
        "Does it work with the tools we have? We run most things on our own servers.",
        "Where did you get my details from?",
        "Interesting. Is there a minimum number of seats?",
        "Where is the information kept? We are not allowed to store anything outside the EU.\n{me}",
        "What exactly would you need from us to try it?",
        "Sounds good on paper. What do customers usually complain about?",
        "Could you explain in one sentence what you do, {sender}?",
    ),
    "referral": (
        "Hi {sender}, I'm not the right person for this. {colleague} looks after it, try there.",
        "This would be for my colleague {colleague}. Feel free to mention my name.\n{me}",
        "I moved to another team. {colleague} took over from me.",
        "You want to talk to {colleague}, who runs that part of the business.",
        "Not my area, sorry. Our head of operations, {colleague}, decides on such things.\n\n{me}",
        "Please contact {colleague}, I have nothing to do with purchasing.",
        "Thanks {sender}. I am only the one who signs. {colleague} would be the better contact.",
        "I left the company in spring. As far as I know {colleague} is in charge now.",
        "Could you get in touch with {colleague} instead? That is closer to their job than to mine.",
        "Wrong person, but the right company. Ask for {colleague}.\n{me}",
        "My colleague {colleague} is looking into this topic at the moment, I will let them know you wrote.",
        "Better talk to {colleague}. Happy to introduce you if you like.",
    ),
    "unsubscribe": (
        "Please remove me from your list.",
        "Stop messaging me.",
        "Unsubscribe",
        "Do not contact me again, {sender}.",
        "Please take me off whatever list this is. Thanks.\n{me}",
        "I never asked for this. Remove my details, please.",
        "STOP",
        "I do not wish to receive any more messages from you.",
        "Kindly delete my contact details and do not write again.\n\n{me}",
        "Please unsubscribe me from these mails.",
        "No more messages, please. I do not want to be contacted about this.",
        "Leave me alone and remove me from your database.",
    ),
    "after": (
        "Great, thanks {sender}. Talk soon.",
        "That works for me.\n{me}",
        "Thanks for the quick answer. Let me check with the others and come back to you.",
        "OK, understood.",
        "Perfect, see you then.",
        "Good, please send it over.\n\n{me}",
        "Thank you, that helps.",
        "Fine with me. I have copied my colleague.",
        "Makes sense. One more thing: who would be our contact?",
        "Alright, thanks {sender}.",
        "Got it, thanks.",
        "Let me sleep on it.\n{me}",
    ),
}

# {day} is written in one of the forms below; those without it name no date at all.
AWAY: tuple[str, ...] = (
    "Thank you for your message. I am out of the office until {day} and will answer when I am back.\n\n{me}",
    "Hi, I'm on annual leave until {day} with limited access to messages. For urgent matters contact {colleague}.",
    "I am currently out of office and will be back on {day}.\n\nKind regards\n{me}",
    "Automatic reply: I am travelling and return on {day}.",
    "Hello, I am on parental leave. I will be back at work on {day}.\n{me}",
    "I'm away from my desk, returning {day}. Your message has not been forwarded.",
    "Out of office: on vacation through {day}. Please contact {colleague} if it cannot wait.",
    "Thanks for getting in touch! I'm on holiday until {day}, so expect a slow answer.\n{me}",
    "I will be out of the office starting today and returning on {day}. I will reply to you then.",
    "Thank you for your e-mail. I have limited access to my inbox until {day}.\n\n{me}",
    "I am at a conference all week and will be back in the office on {day}.",
    "Hi there, I am on sick leave at the moment. My messages are not being read. Please write to {colleague}.",
    "I'm out of the office at the moment and will get back to you as soon as I return.\n\n{me}",
    "Auto-reply: I am on leave. {colleague} covers for me.",
)
_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
DAYS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{day.day} {_MONTHS[day.month - 1]}",
    lambda day: f"{_MONTHS[day.month - 1]} {day.day}",
    lambda day: f"{_WEEKDAYS[day.weekday()]}, {_MONTHS[day.month - 1]} {day.day}",
    lambda day: f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1][:3]}",
    lambda day: f"{_MONTHS[day.month - 1]} {day.day}, {day.year}",
    lambda day: f"{day.day}{_ordinal(day.day)} of {_MONTHS[day.month - 1]}",
    lambda day: f"{_MONTHS[day.month - 1][:3]} {day.day}{_ordinal(day.day)}",
    lambda day: f"{day:%Y-%m-%d}",
    lambda day: f"{day:%d.%m.%Y}",
    lambda day: f"{day.day} {_MONTHS[day.month - 1]} {day.year}",
)
COLLEAGUES = (
    "Priya Raman",
    "Jonas Weber",
    "Camille Laurent",
    "Tom Okafor",
    "Sofia Lindqvist",
    "Daniel Kim",
    "Marta Kowalska",
    "Luis Herrera",
)
HARD_BOUNCES = (
    "550 5.1.1 The e-mail account that you tried to reach does not exist.",
    "550 5.1.10 Recipient address rejected: user unknown.",
    "554 5.4.4 The domain of this address does not accept mail.",
)
SOFT_BOUNCES = (
    "452 4.2.2 The mailbox is over its quota.",
    "451 4.7.1 The message was deferred, try again later.",
)


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
