/* The composer: snippets by ;, a suggested reply that Tab takes, a time to send at. All of it also works by buttons. */
'use strict';
{
  const one = (selector, root = document) => root?.querySelector(selector);
  const within = (type, selector, act) => document.addEventListener(type, e => {
    const found = e.target.closest?.(selector);
    if (found) act(found, e);
  });
  const BOX = '.composing textarea[name=text]';
  const put = (field, text) => {
    field.focus();
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };

  /* ── snippets: a list that is filtered as one types ── */
  const shown = menu => [...menu.querySelectorAll('.snippet:not([hidden])')];
  const select = (menu, chosen) => {
    for (const each of menu.querySelectorAll('.snippet')) each.setAttribute('aria-selected', each === chosen);
    one('[data-find]', menu).setAttribute('aria-activedescendant', chosen?.id || '');
    chosen?.scrollIntoView({ block: 'nearest' });
  };
  const filter = menu => {
    const words = one('[data-find]', menu).value.toLowerCase().split(/\s+/);
    for (const each of menu.querySelectorAll('.snippet')) {
      const text = `${each.textContent} ${each.dataset.text}`.toLowerCase();
      each.hidden = !words.every(word => text.includes(word));
    }
    one('[data-none]', menu).hidden = shown(menu).length > 0;
    select(menu, shown(menu)[0]);
  };
  const insert = (menu, chosen) => {
    menu.hidePopover();
    put(one(BOX), chosen?.dataset.text || '');
  };
  const pick = (menu, e) => {
    const found = shown(menu), at = found.findIndex(each => each.ariaSelected === 'true');
    if (/^Arrow(Up|Down)$/.test(e.key)) select(menu, found[(at + (e.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length]);
    else if (e.key === 'Enter') found[at] && insert(menu, found[at]);
    else if (e.key === 'Escape') insert(menu);
    else if (e.key === ';' && !e.target.value) { menu.hidePopover(); put(one(BOX), ';'); }
    else return false;
    return true;
  };
  /* in one go: what the browser does of its own comes later than the next key of a fast hand */
  const open = menu => {
    if (!menu.matches(':popover-open')) menu.showPopover({ source: one(`[popovertarget=${menu.id}]`) });
    one('[data-find]', menu).value = '';
    filter(menu);
    one('[data-find]', menu).focus();
  };
  within('click', '[popovertarget^="snippets-"]', (button, e) => {
    const menu = document.getElementById(button.getAttribute('popovertarget'));
    if (menu.matches(':popover-open')) return;
    e.preventDefault();
    open(menu);
  });
  within('input', '[data-find]', field => filter(field.closest('.snippets')));
  within('click', '.snippet', found => insert(found.closest('.snippets'), found));

  /* ── the suggested reply ── */
  const suggested = () => one('.composing .drafted[data-text]')?.dataset.text;
  within('click', '[data-take]', () => { const field = one(BOX); field.value = ''; put(field, suggested()); });

  /* ── Home: an empty box sends what is suggested in it ── */
  document.addEventListener('invalid', e => {
    if (!e.target.matches('.answer-form textarea')) return;
    e.preventDefault();
    if (e.target.value || !suggested()) return e.target.focus();
    put(e.target, suggested());
    setTimeout(() => e.target.form.requestSubmit());
  }, true);

  document.addEventListener('keydown', e => {
    const menu = one('.snippets:popover-open'), { target: field } = e, writing = field.matches?.(BOX);
    const plain = !(e.ctrlKey || e.metaKey || e.altKey);
    if (menu && plain && field.matches('[data-find]')) {
      if (!pick(menu, e)) return;
    } else if (writing && plain && e.key === ';' && one('#conversation .snippets') && /(^|\s)$/.test(field.value.slice(0, field.selectionStart))) {
      open(one('#conversation .snippets'));
    } else if (writing && plain && !e.shiftKey && e.key === 'Tab' && !field.value && suggested()) {
      put(field, suggested());
    } else if (field.closest?.('form.reply') && (e.ctrlKey || e.metaKey) && e.shiftKey && e.key === 'Enter') {
      one('[data-later]', field.form)?.click();
    } else return;
    e.preventDefault();
    e.stopImmediatePropagation();
  }, true);
}
