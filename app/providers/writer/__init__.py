"""Writers: the built-in one needs neither a network nor a model, the other asks a model and falls back on it."""

from app.providers.writer.built_in import BuiltInWriter
from app.providers.writer.model_writer import ModelWriter
from app.providers.writer.switched_writer import SwitchedWriter

__all__ = ["BuiltInWriter", "ModelWriter", "SwitchedWriter"]
