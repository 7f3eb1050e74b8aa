"""marshmallow schemas with dates, used while the time stands still: a script for ``frozen.run``."""

from __future__ import annotations

from tests.frozen import run


def make():
    from marshmallow import Schema, ValidationError, fields, validate

    import fastschema
    from tests.instruments.core import thresholds

    thresholds.rows_worth_reading = 1
    thresholds.few_for_marshmallow = 0
    thresholds.rows_worth_reading_at_once = 1
    thresholds.uses_worth_an_exemplar = 1
    fastschema.install()

    def spelt(value):
        return {key: (type(each), str(each)) for key, each in value.items()}

    def use(values):
        today, zoned = values["day"], values["zoned"]

        class Dates(Schema):
            day = fields.Date(validate=validate.Range(min=today))
            time = fields.Time()
            zoned = fields.AwareDateTime()
            naive = fields.NaiveDateTime()
            duration = fields.TimeDelta()
            in_format = fields.Date("%d.%m.%Y")
            in_http = fields.DateTime("rfc")
            stamp = fields.DateTime("timestamp")
            days = fields.List(fields.Date())

        def tried(call):
            try:
                return call()
            except (ValidationError, AttributeError, TypeError) as error:
                return type(error), str(error)

        row = {**values, "in_format": today, "in_http": zoned, "stamp": zoned, "days": [today]}
        texts = {**Dates().dump(row), "stamp": 5}
        wrong = dict.fromkeys(texts, 5.5)
        plan = fastschema.compile(Dates)
        dumped = [Dates().dump(row), Dates(many=True).dumps([row]), plan.dump(row), plan.dumps(row)]
        swapped = {**row, "day": values["naive"], "naive": today, "zoned": today}
        return (
            [*dumped, tried(lambda: Dates().dump(swapped))],
            [spelt(Dates().load(texts)), spelt(plan.load(texts))],
            tried(lambda: Dates().load(wrong)),
        )

    return use


if __name__ == "__main__":
    run(make, "marshmallow")
