"""HTML mails: what programs mark as a quotation is behind ">", and what people write is not."""

from app.providers.mail import html_text

OURS = "If you want no more mails, unsubscribe here."
QUOTED = [
    f'<hr><div id="divRplyFwdMsg">From: Ines</div><div>{OURS}</div>',
    f'<div id="appendonsend"></div><hr><div>From: Ines</div><div>{OURS}</div>',
    f"<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm'><p>From: Ines</p></div><p>{OURS}</p>",
    f'<div class="gmail_quote"><div class="gmail_attr">Ines wrote:</div><blockquote>{OURS}</blockquote></div>',
    f'<div class="gmail_quote">Forwarded<br>{OURS}</div>',
    f'<blockquote type="cite"><div>{OURS}</div></blockquote>',
    f'<div class="moz-cite-prefix">Ines:</div><blockquote type="cite"><p>{OURS}</p></blockquote>',
    f'<div id="yahoo_quoted_1" class="yahoo_quoted"><div>{OURS}</div></div>',
    f'<div class="zmail_extra"><div>{OURS}</div></div>',
    f'<div name="quote" style="border-left:2px solid #C3D9E5"><div>{OURS}</div></div>',
    f'<div class="protonmail_quote">{OURS}</div>',
    f'<div name="messageReplySection">{OURS}</div>',
    f'<div id="mail-editor-reference-message-container"><div>{OURS}</div></div>',
    f'<hr data-marker="__DIVIDER__"><div>{OURS}</div>',
    f'<div id="isReplyContent">{OURS}</div>',
]


def test_what_a_program_quotes_is_marked() -> None:
    for quoted in QUOTED:
        found = html_text.read(f"<html><body><p>Sounds good,<br>call me.</p>{quoted}</body></html>")
        own = [line for line in found.text.split("\n") if line and not line.startswith(">")]
        assert own == ["Sounds good,", "call me."], quoted
        assert found.is_marked
        assert f"> {OURS}" in found.text or f"> Forwarded\n> {OURS}" in found.text, quoted


def test_what_people_write_inside_or_instead_of_a_quotation_is_theirs() -> None:
    inline = '<div class="gmail_quote"><blockquote>Is it fast?</blockquote><div>Take me off.</div></div>'
    assert html_text.read(inline).text.split("\n")[-1] == "Take me off."
    assert html_text.read("<blockquote>All of it</blockquote>") == html_text.Told("All of it", False)


def test_signatures_hidden_texts_and_spaces_of_html_are_known() -> None:
    html = '<p>Yes  &nbsp;please</p><p style="display:none">No</p><div class="gmail_signature">Ann<br>Unsubscribe</div>'
    assert html_text.read(html).text == "Yes please\n-- \nAnn\nUnsubscribe"
