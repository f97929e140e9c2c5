"""What every part of the object is made of: moments, durations, and frozen values."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
)
from pydantic.alias_generators import to_camel

from proxar.api.duration import format_duration, parse_duration

__all__ = ["Duration", "Time", "Value", "between"]


def _spell_time(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read_duration(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    if isinstance(value, str):
        return parse_duration(value)
    raise ValueError("must be a duration such as 90s or 1h30m")


def between(lowest: str, highest: str) -> AfterValidator:
    def check(duration: timedelta) -> timedelta:
        if not parse_duration(lowest) <= duration <= parse_duration(highest):
            raise ValueError(f"must be between {lowest} and {highest}")
        return duration

    return AfterValidator(check)


Time = Annotated[AwareDatetime, PlainSerializer(_spell_time, when_used="json")]
"""A moment; the API has whole seconds, in UTC."""

Duration = Annotated[
    timedelta, BeforeValidator(_read_duration), PlainSerializer(format_duration, when_used="json")
]
"""A Go duration."""


class Value(BaseModel):
    """A frozen part of the object; camelCase outside, snake_case inside; unknown fields ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,  # a url or a header may hold a credential after all
    )

    def to_json(self) -> dict[str, Any]:
        """Spell it as the API does; what is `None` is left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
