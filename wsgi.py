"""The application for any WSGI server: `granian --interface wsgi wsgi:app`, `gunicorn wsgi:app`."""

from app import create_app

app = create_app()
