/* A file dropped anywhere on the page is the one chosen in its form. */
'use strict';
{
  const form = document.querySelector('form[data-drop]');
  const withFile = e => e.dataTransfer?.types.includes('Files');
  addEventListener('dragover', e => {
    if (!withFile(e)) return;
    e.preventDefault();
    form.classList.add('drop');
  });
  addEventListener('dragleave', e => { if (!e.relatedTarget) form.classList.remove('drop'); });
  addEventListener('drop', e => {
    if (!withFile(e)) return;
    e.preventDefault();
    form.classList.remove('drop');
    form.querySelector('[type=file]').files = e.dataTransfer.files;
    form.requestSubmit();
  });
}
