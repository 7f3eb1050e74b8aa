"""What method fields do with a person that they are given: read, keep, compare, change, delete."""

import json  # noqa: F401  # for the expressions
import pickle  # noqa: F401  # likewise
import uuid  # noqa: F401  # likewise

from django.core import serializers as core_serializers  # noqa: F401  # likewise
from django.db import models
from django.db.models import prefetch_related_objects  # noqa: F401  # likewise
from django.forms import model_to_dict  # noqa: F401  # likewise
from rest_framework import serializers

from tests.promises.django.lists.models import Citizen, City, Language, Pet  # noqa: F401  # likewise

CODE = {}
"""By names, functions that are given the serializer and the person, and return what they saw."""


def code(function):
    CODE[function.__name__] = function
    return function


def each(name, *sources):
    """Add an expression of ``person`` for each source."""
    for number, source in enumerate(sources):
        compiled = compile(source, f"{name}_{number}", "eval")
        CODE[f"{name}_{number}: {source}"] = lambda serializer, person, compiled=compiled: seen(
            eval(compiled, {**globals(), "person": person, "self": serializer})
        )


def seen(value, depth=4):
    """A value, and what is in the objects in it, as text."""
    if isinstance(value, models.Model):
        own = {name: each for name, each in vars(value).items() if name != "_state"}
        if "_state" not in vars(value):
            return str(own)
        state = vars(value._state)
        inner = seen({**own, **state}, depth - 1) if depth else ""
        return f"{type(value).__name__}({inner})"
    if isinstance(value, dict):
        return str({key: seen(each, depth) for key, each in value.items() if key != "peers"})
    if isinstance(value, models.QuerySet | list | tuple):
        return str([seen(each, depth) for each in value])
    return str(value)


class Named(serializers.Serializer):
    name = serializers.CharField()


each(
    "read",
    "person.city.name",
    "person.city.country and person.city.country.name",
    "person.birthplace and person.birthplace.name",
    "hasattr(person, 'profile') and person.profile.motto",
    "[language.name for language in person.languages.all()]",
    "[pet.owner.name for pet in person.pets.all()]",
    "[friend.city.name for friend in person.friends.all()]",
    "person.languages.count(), person.languages.exists(), person.languages.first()",
    "person.languages.filter(name__contains='a').exists()",
    "list(person.languages.all().filter(name__contains='a'))",
    "person.languages.all().query",
    "len(person.languages.all()), person.languages.all()[1:], bool(person.pets.all())",
    "person.city.people.count()",
    "person",
    "Named(person.city).data['name'], Named(person.languages.all(), many=True).data",
    "[vars(each).keys() for each in person.languages.all()]",
    "getattr(person, 'tongues', 'none')",
)
each(
    "compare",
    "person.city is person.city, person.city == City.objects.first()",
    "hasattr(person, 'profile') and person.profile.person is person",
    "[pet.owner is person for pet in person.pets.all()]",
    "[a is b for a, b in zip(person.languages.all(), person.languages.all())]",
    "person.languages.all()._result_cache is person.languages.all()._result_cache",
    "person.languages.all()._hints.get('instance') is person",
    "person in self.parent.instance, [each is person for each in self.parent.instance]",
)
each(
    "cache",
    "sorted(person._state.fields_cache)",
    "list(person._state.fields_cache)",
    "dict(person._state.fields_cache)",
    "{**person._state.fields_cache, 'more': 1}",
    "{}.update(person._state.fields_cache) or person._state.fields_cache",
    "list(person._state.fields_cache.values())",
    "list(person._state.fields_cache.items())",
    "list(reversed(person._state.fields_cache))",
    "person._state.fields_cache.copy()",
    "person._state.fields_cache | {'more': 1}",
    "{'more': 1} | person._state.fields_cache",
    "person._state.fields_cache == dict(person._state.fields_cache)",
    "person._state.fields_cache != {}, not person._state.fields_cache",
    "person._state.fields_cache == copy.copy(person)._state.fields_cache",
    "len(person._state.fields_cache), len(str(person._state.fields_cache))",
    "'city' in person._state.fields_cache, 'cities' in person._state.fields_cache",
    "person._state.fields_cache.get('city'), person._state.fields_cache.get('cities', (1, 2))",
    "person._state.fields_cache.pop('city', 'none')",
    "person._state.fields_cache.popitem() if person._state.fields_cache else 0",
    "person._state.fields_cache.setdefault('city', 5)",
    "person._state.fields_cache.setdefault('x', 5)",
    "person._state.fields_cache.update(city=City.objects.get(name='Oslo'))",
    "person._state.fields_cache.__ior__({'city': City.objects.get(name='Oslo')})",
    "person._state.fields_cache.__setitem__('more', (1, 2)) or person._state.fields_cache['more']",
    "person._state.fields_cache.clear()",
    "person._state.fields_cache.__delitem__('city')",
    "person._state.fields_cache['cities']",
    "vars(person._state)",
    "json.dumps(person._state.fields_cache, default=str)",
    "person._prefetched_objects_cache.keys()",
    "person._prefetched_objects_cache",
    "setattr(person, '_prefetched_objects_cache', {'languages': [1]})",
    "person._prefetched_objects_cache.get('cats', ())",
)
each(
    "change",
    "setattr(person.city, 'name', 'Elsewhere')",
    "setattr(person, 'name', 'Nobody')",
    "setattr(person, 'city_id', City.objects.get(name='Oslo').pk)",
    "setattr(person, 'city', City.objects.get(name='Oslo'))",
    "setattr(person, 'birthplace', None), setattr(person, 'city', None)",
    "setattr(person, 'birthplace_id', None)",
    "vars(person).update(city_id=None, name='Nobody')",
    "[setattr(each, 'name', 'Klingon') for each in person.languages.all()]",
    "[setattr(each.owner, 'name', 'Owner') for each in person.pets.all()]",
    "person.__dict__.pop('key')",
    "setattr(person, '__class__', Citizen)",
    "person.pets.update(name='Pet') and [each.name for each in person.pets.all()]",
    "person.pets.create(name='New') and [each.name for each in person.pets.all()]",
    "person.pets.add(*Pet.objects.all()) or [each.name for each in person.pets.all()]",
    "person.save() or 1",
    "[each.delete() and 1 for each in person.languages.all()]",
    "setattr(person.city, 'country', None) or person.city.save()",
    "person.refresh_from_db(fields=['city', 'name'])",
    "[setattr(each, 'city', person.city) for each in self.parent.instance] and 1",
    "[setattr(each, 'city_id', None) for each in self.parent.instance] and 1",
    "prefetch_related_objects([person], 'languages', 'city__country', 'pets')",
    "prefetch_related_objects(list(self.parent.instance), 'languages', 'friends__languages')",
)
each(
    "rekey",
    "setattr(person, 'pk', None)",
    "setattr(person, 'pk', None) or person.languages.all()",
    "setattr(person, 'pk', uuid.UUID(int=4)) or list(person.languages.all())",
    "person.delete() and 1",
    "person.delete() and [*copy.deepcopy(person)._prefetched_objects_cache.values()]",
    "person.delete() and person._prefetched_objects_cache",
    "person.delete() and pickle.loads(pickle.dumps(person))",
    "setattr(person, 'pk', uuid.UUID(int=4)) or [*person._prefetched_objects_cache.values()]",
    "setattr(person, 'pk', uuid.UUID(int=4)) or person.pets.filter(name__contains='o').query",
    "setattr(person, 'pk', uuid.UUID(int=4)) or str(person.languages.all().query)",
    "setattr(person, 'pk', uuid.UUID(int=4)) or str(person.pets.all().query)",
    "setattr(person, 'pk', uuid.UUID(int=4)) or person.languages.filter(name__contains='a')",
    "setattr(person, 'pk', uuid.UUID(int=4)) or person.pets.all()._known_related_objects",
)
each(
    "forget",
    "person._prefetched_objects_cache.pop('languages')",
    "person._prefetched_objects_cache.clear()",
    "person.__dict__.pop('_prefetched_objects_cache', None) and 1",
    "person.languages.clear()",
    "person.languages.add(Language.objects.get(name='Latin')) or person.languages.all()",
    "person.languages.set([]) or person.languages.all()",
    "person.refresh_from_db()",
    "[each._state.fields_cache.clear() for each in self.parent.instance] and 1",
    "[setattr(each, '_prefetched_objects_cache', {}) for each in self.parent.instance] and 1",
)
each(
    "copy",
    "copy.copy(person)",
    "copy.deepcopy(person)",
    "pickle.loads(pickle.dumps(person))",
    "copy.copy(person).city is person.city, copy.deepcopy(person).city is person.city",
    "setattr(copy.copy(person), 'city', None) or person.city.name",
    "copy.copy(person)._prefetched_objects_cache is person._prefetched_objects_cache",
    "copy.deepcopy(person)._prefetched_objects_cache",
    "type(copy.copy(person)._state.fields_cache), type(copy.deepcopy(person)._state.fields_cache)",
    "type(pickle.loads(pickle.dumps(person._state))), copy.copy(person._state).fields_cache",
    "copy.deepcopy(person._state.fields_cache), copy.copy(person._state.fields_cache)",
    "pickle.loads(pickle.dumps(person.languages.all()))",
    "model_to_dict(person)",
    "core_serializers.serialize('json', [person])",
)


@code
def keep(serializer, person):
    """Compares what it gets with what it got before."""
    kept = serializer.context.setdefault("kept", [])
    kept.append((person.city, person, person.city.country))
    return str([[a is b for a in kept[-1] for b in other] for other in kept])


@code
def fail(serializer, person):
    if person.name.endswith("3"):
        raise ValueError(person.city.name)
