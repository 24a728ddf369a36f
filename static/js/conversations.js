/* The inbox by keyboard: what is open is what keys act on, and a key struck while the next one comes waits for it. */
'use strict';
{
  const one = (selector, root = document) => root.querySelector(selector);
  const typing = target => target?.matches?.('input:not([type=checkbox],[type=radio],[type=submit],[type=button]), textarea, select');
  const open = () => { const found = one('#conversation[data-id]'); return found?.checkVisibility() ? found : null; };
  const heading = () => one('#conversation h1[tabindex]')?.focus();
  const popover = () => one('.picks:popover-open');

  /* ── J and K open the next and the previous; without one that is open they move in the list, as everywhere ── */
  const MORE = '#talks-found .more > a[hx-get]';
  let walking = false; // past the loaded rows: the next page comes first
  document.addEventListener('htmx:after:swap', () => { // what moved up from the next page stands once
    const seen = new Set();
    for (const link of document.querySelectorAll('#talks-found .talk-row a.nm')) {
      seen.has(link.pathname) ? link.closest('li').remove() : seen.add(link.pathname);
    }
  });
  const step = by => {
    const rows = [...document.querySelectorAll('#talks-found .talk-row a.nm')];
    const id = one('#conversation').dataset.id;
    const here = rows.findIndex(link => new URL(link.href).pathname.endsWith('/' + id));
    const next = rows[here < 0 ? (by > 0 ? 0 : rows.length - 1) : here + by];
    if (!next && by > 0 && one(MORE)) { walking = true; one(MORE).click(); }
    if (!next) return;
    next.closest('li').scrollIntoView({ block: 'nearest' });
    next.click();
  };

  /* ── what is first stands open where there is room beside the list, so that its keys act on something ── */
  for (const come of ['DOMContentLoaded', 'htmx:after:swap']) document.addEventListener(come, () => {
    const none = one('#conversation[hx-get]');
    if (none?.checkVisibility()) none.dispatchEvent(new Event('show'));
  });

  /* ── a choice by its number, or by arrows ── */
  const choose = e => {
    const buttons = [...popover().querySelectorAll('button')], at = buttons.indexOf(document.activeElement);
    const numbered = one(`button[aria-keyshortcuts="${CSS.escape(e.key)}"]`, popover());
    if (numbered && !typing(e.target)) { numbered.click(); return true; }
    if (!/^Arrow(Up|Down)$/.test(e.key) || typing(e.target)) return false;
    buttons[(at + (e.key === 'ArrowDown' ? 1 : buttons.length - 1)) % buttons.length].focus();
    return true;
  };
  document.addEventListener('toggle', e => {
    if (e.target.matches?.('.picks') && e.newState === 'open') one('button', e.target)?.focus();
  }, true);

  /* ── while an answer is on its way that brings another conversation, keys wait, and are struck there ── */
  const ONWARD = `[data-onward], .talk-row a[hx-get], ${MORE}`;
  const coming = new Set(), early = [];
  const strike = key => {
    const field = document.activeElement;
    if (typing(field) && key.length === 1) {
      if (!field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))) return;
      field.setRangeText(key, field.selectionStart, field.selectionEnd, 'end');
      return field.dispatchEvent(new Event('input', { bubbles: true }));
    }
    if (key === 'Escape' && popover()) return popover().hidePopover();
    (field || document.body).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  };
  const replay = () => { while (early.length && !coming.size) strike(early.shift()); };
  document.addEventListener('htmx:before:request', e => {
    const { sourceElement } = e.detail.ctx;
    if (!sourceElement?.matches?.(ONWARD)) return;
    coming.add(e.detail.ctx);
    popover()?.hidePopover();
    if (sourceElement.matches('form.reply')) heading();
  });
  document.addEventListener('htmx:finally:request', e => {
    if (!coming.delete(e.detail.ctx)) return;
    if (walking) setTimeout(() => { walking = false; step(1); });
    setTimeout(replay);
  });

  document.addEventListener('keydown', e => {
    const plain = !(e.ctrlKey || e.metaKey || e.altKey);
    if (coming.size && e.isTrusted && plain && !one('dialog[open]') && (e.key.length === 1 || e.key === 'Escape')) {
      early.push(e.key);
    } else if (popover()) {
      if (!plain || !choose(e)) return;
    } else if (e.key === 'Escape' && typing(e.target) && e.target.closest('#conversation')) {
      e.target.closest('details.note-new')?.removeAttribute('open');
      heading();
    } else if (!plain || typing(e.target) || !('keys' in document.body.dataset) || one('dialog[open], :popover-open')) {
      return;
    } else if (/^[jk]$/i.test(e.key) && open() && one('#talks-found').checkVisibility()) {
      step(/j/i.test(e.key) ? 1 : -1);
    } else if (/^i$/i.test(e.key) && one('.note-new') && open()) {
      one('.note-new').open = true;
      one('.note-new textarea').focus();
    } else return;
    e.preventDefault();
    e.stopImmediatePropagation();
  }, true);
}
