/* The builder of a sequence: steps are dragged to another place, what is pressed early waits for the form, and late previews are dropped. */
'use strict';
{
  const on = (type, act) => document.addEventListener(type, act);
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

  /* The fields are on their way: saved now, they would lack what the press before changed. */
  let waiting;
  document.addEventListener('submit', e => {
    if (!e.target.matches('#editor.htmx-request')) return;
    e.preventDefault();
    e.stopPropagation();
    waiting = e.submitter;
  }, true);
  on('htmx:finally:request', ({ detail: { ctx } }) => {
    if (ctx.sourceElement.id !== 'editor') return;
    const button = waiting;
    waiting = null;
    const numbered = button?.value.includes(':'); // it may be another step's by now
    if (ctx.status === 'swapped' && button?.isConnected && !numbered) setTimeout(() => button.click());
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
