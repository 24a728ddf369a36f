/* The campaign editor: one step is seen, variables are drawn as names, steps are dragged, and late answers are dropped. */
'use strict';
{
  const on = (type, act) => document.addEventListener(type, act);
  const one = (selector, root = document) => root?.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  /* ── the selected step: its panel and its preview are seen ── */
  const show = key => {
    const field = one('#open');
    if (!field || !key) return;
    field.value = key;
    all('.panel').forEach(panel => panel.classList.toggle('open', panel.id.endsWith(key)));
    all('.said').forEach(said => said.classList.toggle('open', said.dataset.of === key));
    for (const link of all('.node-link')) link.hash.endsWith(key) ? link.setAttribute('aria-current', 'step') : link.removeAttribute('aria-current');
  };
  /* What an address within the page leads to may be in a panel or a sheet that is not seen yet. */
  const reveal = target => {
    const panel = target.closest('.panel'), sheet = target.closest('dialog:not([open])');
    if (panel) show(panel.id.split('-').at(-1));
    sheet?.showModal();
  };
  const select = link => {
    reveal(document.getElementById(link.hash.slice(1)));
    one('#starters')?.classList.add('later'); // they come first until a step is chosen
  };
  on('click', e => e.target.closest?.('#editor [popover] button')?.closest('[popover]').hidePopover()); // it would stay open over what comes back
  on('click', e => {
    const link = e.target.closest?.('#editor a[href^="#"]'), target = link && document.getElementById(link.hash.slice(1));
    if (!target) return;
    if (link.matches('.node-link')) {
      e.preventDefault();
      select(link);
      if (matchMedia('(max-width: 820px)').matches) target.scrollIntoView({ behavior: 'smooth', block: 'start' });
      else (one('[data-line]:invalid', target) || one('.written textarea', target))?.focus({ preventScroll: true });
      return;
    }
    reveal(target);
    target.matches('input, textarea, select, button') && target.focus();
  });
  on('keydown', e => {
    const link = e.target.closest?.('.node-link'), down = e.key === 'ArrowDown';
    if (!link || !(down || e.key === 'ArrowUp') || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    if (e.altKey) return one(`button[value^="${down ? 'down' : 'up'}:"]:not(:disabled)`, link.parentElement)?.click();
    const links = all('.node-link'), next = links[links.indexOf(link) + (down ? 1 : -1)];
    next?.focus();
    if (next) select(next);
  });
  on('keydown', e => { // back from a step's fields to the steps, whose arrow keys lead on
    if (e.key === 'Escape' && e.target.closest?.('.panel') && !one('#editor :popover-open')) one('.node-link[aria-current]')?.focus();
  });
  on('keydown', e => { // a subject is one line
    if (e.key === 'Enter' && e.target.matches?.('[data-line]') && !e.ctrlKey && !e.metaKey) e.preventDefault();
  });

  /* ── variables, choices and conditions as pills: drawn over the text, letter by letter as wide as what stands in it ── */
  const TAG = /\{\{#if [^{}|]*\}\}|\{\{(?:else|\/if)\}\}|\{\{[^{}|]*(?:\|[^{}]*)?\}\}|\{[^{}|]*(?:\|[^{}|]*)+\}/g;
  const part = (text, cls) => Object.assign(document.createElement('span'), { textContent: text, className: cls });
  const pill = (tag, known, open) => {
    const braces = tag.startsWith('{{') ? 2 : 1, inner = tag.slice(braces, -braces), name = inner.split('|')[0].replace(/^#if /, '').trim();
    const sound = braces === 1 || /^(else|\/if|custom\.|Custom: )/.test(inner) || known.includes(`{{${name.toLowerCase()}}}`);
    const found = part('', !sound ? 'pill bad' : braces === 1 || /^[#/]|^else$/.test(inner) ? 'pill vary' : 'pill');
    const hash = inner.startsWith('#') ? 1 : 0, bar = braces === 2 && inner.includes('|') ? inner.indexOf('|') : inner.length;
    if (bar < inner.length) { // what is said instead is seen where the caret is
      found.classList.toggle('open', open);
      found.dataset.else = `If missing: ${inner.slice(bar + 1).trim() || 'nothing'}`;
    }
    found.append(part(tag.slice(0, braces + hash), 'brace'), part(inner.slice(hash, bar), 'of'), part(inner.slice(bar), 'else'), part(tag.slice(-braces), 'brace'));
    return found;
  };
  const draw = field => {
    const mirror = field.previousElementSibling, text = field.value, known = one('#editor').dataset.names, pieces = [];
    const caret = field === document.activeElement ? field.selectionEnd : -1;
    let at = 0;
    for (const found of text.slice(0, 20000).matchAll(TAG)) {
      const end = found.index + found[0].length;
      pieces.push(text.slice(at, found.index), pill(found[0], known, caret > found.index && caret < end));
      at = end;
    }
    mirror.replaceChildren(...pieces, text.slice(at) + '\u200b');
  };
  const redraw = ({ target }) => { if (target.matches?.('.pills > textarea')) draw(target); };
  for (const moved of ['input', 'focusin', 'focusout']) on(moved, redraw);
  on('selectionchange', () => redraw({ target: document.activeElement }));

  const settle = whole => {
    show(one('#open')?.value);
    all('.pills > textarea').forEach(draw);
    const first = whole && one('#editor dialog:not([open]) [autofocus]');
    if (first) reveal(first);
  };
  on('htmx:after:swap', e => {
    const whole = e.detail.ctx?.sourceElement?.id === 'editor';
    settle(whole);
    if (whole) one('#saved')?.dispatchEvent(new Event('stale'));
  });
  on('DOMContentLoaded', () => settle(true));
  on('restored', () => settle()); // what was typed before a reload is there again

  /* ── steps are dragged ── */
  const step = e => e.target.closest?.('[data-step]');
  let dragged;
  const mark = found => {
    document.querySelectorAll('.drop-here').forEach(other => other.classList.remove('drop-here', 'below'));
    if (!found || found === dragged) return;
    found.classList.add('drop-here');
    found.classList.toggle('below', Number(found.dataset.step) > Number(dragged.dataset.step));
  };
  on('dragstart', e => { // only by its grip, so that texts can be selected
    if (!e.target.matches?.('[data-grip]')) return;
    dragged = step(e);
    e.dataTransfer.effectAllowed = 'move';
    e.dataTransfer.setDragImage(dragged, 20, 20);
    e.dataTransfer.setData('text/plain', dragged.dataset.step);
    dragged.classList.add('dragged');
  });
  on('dragover', e => {
    if (!dragged) return;
    const found = step(e);
    if (found) e.preventDefault();
    mark(found);
  });
  on('drop', e => {
    const found = dragged && step(e);
    if (!found) return;
    e.preventDefault();
    if (found === dragged) return;
    const button = Object.assign(document.createElement('button'), { name: 'do', formNoValidate: true, hidden: true });
    button.value = `to:${dragged.dataset.step}:${found.dataset.step}`;
    found.closest('form').append(button);
    button.click(); // the answer's form is without it
  });
  on('dragend', () => {
    mark();
    dragged?.classList.remove('dragged');
    dragged = null;
  });

  /* ── a draft saves itself; the first time it gets an address, under which a reload finds what was typed since ── */
  let changes = 0, begun;
  on('input', () => { changes += 1; });
  on('htmx:before:request', e => {
    if (e.target.id !== 'saved') return;
    if (one('#editor.htmx-request')) return e.preventDefault(); // what comes back is saved
    begun = changes;
  });
  on('htmx:finally:request', ({ detail: { ctx } }) => {
    const form = one('#editor');
    if (ctx.sourceElement.id !== 'saved' || ctx.status !== 'swapped' || !ctx.sourceElement.textContent.startsWith('Saved')) return;
    form.setAttribute('action', location.pathname);
    if (begun === changes) delete form.dataset.unsent;
  });

  /* ── a field that was mended is no longer marked: what is wrong now is said at the next press ── */
  on('input', ({ target }) => {
    if (!target.matches?.('#editor [aria-invalid]') || !target.value.trim()) return;
    const panel = target.closest('.panel'), entry = one(`.editor-head .notice a[href="#${target.id}"]`)?.closest('li');
    target.removeAttribute('aria-invalid');
    document.getElementById(`${target.id}-error`)?.remove();
    if (panel && !one('[aria-invalid]', panel)) one(`.node-link[href="#${panel.id}"]`)?.classList.remove('bad');
    if (entry?.parentElement.children.length === 1) entry.closest('.notice').remove();
    entry?.remove();
  });

  /* The fields are on their way: saved now, they would lack what the press before changed, or become a second draft. */
  let waiting;
  document.addEventListener('submit', e => {
    if (!e.target.matches('#editor:is(.htmx-request, :has(#saved.htmx-request))')) return;
    e.preventDefault();
    e.stopPropagation();
    waiting = e.submitter;
  }, true);
  on('htmx:finally:request', ({ detail: { ctx } }) => {
    if (!['editor', 'saved'].includes(ctx.sourceElement.id)) return;
    const button = waiting;
    waiting = null;
    const kept = ctx.sourceElement.id === 'saved', other = !kept && button?.value.includes(':'); // it may be another step's by now
    if ((kept || ctx.status === 'swapped') && button?.isConnected && !other) setTimeout(() => button.click());
  });

  /* A preview is old when its form was sent or answered meanwhile. */
  const PREVIEW = '[hx-trigger^="input delay"]', forms = new WeakMap(), previews = new WeakMap();
  const moves = e => { if (e.target.matches?.('form')) forms.set(e.target, (forms.get(e.target) ?? 0) + 1); };
  on('htmx:before:request', e => {
    moves(e);
    const form = e.target.matches?.(PREVIEW) && e.target.closest('form');
    if (form) previews.set(e.detail.ctx, { form, moved: forms.get(form) });
  });
  on('htmx:finally:request', moves);
  on('htmx:before:swap', e => {
    const { form, moved } = previews.get(e.detail.ctx) ?? {};
    if (form && forms.get(form) !== moved) e.preventDefault();
  });
}
