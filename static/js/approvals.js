/* The approval inbox by keyboard, and what follows from the open draft: the row that is marked, the numbers. */
'use strict';
{
  const one = (selector, root = document) => root.querySelector(selector);
  const inbox = one('#inbox');
  const typing = target => target.matches?.('input:not([type=checkbox]), textarea, select');

  /* The row of the open draft is marked and seen; the navigation counts what waits. */
  const mark = () => {
    const open = one('#open');
    if (!open) return;
    for (const row of inbox.querySelectorAll('.dl')) {
      const here = row.id === 'row-' + open.dataset.draft, link = one('a.nm', row);
      row.classList.toggle('sel', here);
      here ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current');
      if (here) row.scrollIntoView({ block: 'nearest' });
    }
    const waiting = Number(open.dataset.waiting), count = one('#count-a');
    if (count) {
      count.hidden = !waiting;
      count.firstChild.textContent = waiting;
    }
    document.title = document.title.replace(/^Approvals( \(\d+\))?/, 'Approvals' + (waiting ? ` (${waiting})` : ''));
  };

  /* The text has the focus, with the caret behind its last word. */
  const edit = field => {
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  };

  const keys = {
    j: () => one('#following')?.click(),
    k: () => one('#previous')?.click(),
    x: () => one('.dl.sel .pick input')?.click(),
    e: () => edit(one('#open textarea')),
    r: () => one('#open .rewrite :is(input:not([type=hidden]), .chip)')?.focus(),
  };
  document.addEventListener('keydown', e => {
    if (e.key === 'Escape' && e.target.matches('#open textarea, #open .subject input, #open .rewrite input')) {
      one('#open h2')?.focus();
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey || !('keys' in document.body.dataset)) return;
    if (typing(e.target) || one('dialog[open], :popover-open')) return;
    const key = e.key.toLowerCase();
    const many = one(`x-bulk[data-count] [data-many="${CSS.escape(key)}"]`); // with some selected, A and S decide about those
    const act = many ? () => { many.click(); one('#skip-many:popover-open input')?.focus(); } : keys[key];
    if (!act) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    act();
  }, true);
  document.addEventListener('click', e => {
    const button = e.target.closest?.('[data-edit]');
    if (button) edit(document.getElementById(button.dataset.edit));
    else if (e.target.closest?.('.dl a.nm')) inbox.classList.remove('at-list');
  });
  document.addEventListener('htmx:after:swap', mark);
  document.addEventListener('DOMContentLoaded', mark);
}
