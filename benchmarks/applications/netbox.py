"""NetBox, which keeps the inventory of networks, over PostgreSQL and Redis."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

from applications.application import Request
from applications.django_application import DjangoApplication
from applications.filling import created, created_at_once

KEY, TOKEN = "k" * 12, "t" * 40
SITES, RACKS, DEVICES, INTERFACES = 40, 10, 3000, 4
"""How many sites and devices there are, and what each site, and each device, has."""


class NetBox(DjangoApplication):
    """Its API, as a user who may see and change what is in sites that are in use."""

    title = "NetBox"
    packages = ("netbox", "django", "djangorestframework", "psycopg")
    own_code = (
        *("netbox/", "account/", "circuits/", "core/", "dcim/", "extras/", "ipam/", "tenancy/"),
        *("users/", "utilities/", "virtualization/", "vpn/", "wireless/"),
    )
    masked = frozenset({"id", "url", "display_url", "created", "last_updated"})
    settings = "netbox.settings"
    database = "application_netbox"
    tests = tuple(
        f"{each}.tests.test_api"
        for each in (
            *("netbox", "circuits", "core", "dcim", "extras", "ipam", "tenancy", "users"),
            *("virtualization", "vpn", "wireless"),
        )
    )

    def environment(self, directory: Path) -> dict[str, str]:
        return {
            "NETBOX_CONFIGURATION": "applications.netbox_configuration",
            "NETBOX_DATABASE": self.database,
            "NETBOX_ROOT": str(directory),
        }

    def test_plugins(self, directory: Path, fast: bool) -> list[Any]:
        os.environ["NETBOX_PLUGINS"] = "netbox.tests.dummy_plugin netbox.tests.dummy_plugin_b"
        return super().test_plugins(directory, fast)

    def credentials(self) -> dict[str, str]:
        return {"HTTP_AUTHORIZATION": f"Bearer nbt_{KEY}.{TOKEN}"}

    def fill(self) -> None:
        from django.core.management import call_command

        super().fill()
        call_command("calculate_cached_counts", verbosity=0)

    def add(self) -> None:
        add_user()
        Inventory().add()

    def requests(self) -> list[Request]:
        from dcim.models import Device, DeviceType, Interface, Site

        device = Device.objects.order_by("pk")[DEVICES // 2]
        site = Site.objects.order_by("pk")[1]
        written = {
            "name": "new-device",
            "device_type": DeviceType.objects.first().pk,
            "role": device.role_id,
            "site": site.pk,
            "tenant": device.tenant_id,
            "status": "planned",
            "serial": "S-NEW",
            "tags": [{"slug": "tag-1"}, {"slug": "tag-2"}],
            "custom_fields": {"owner_name": "network team", "rack_units": 2},
        }
        changed = {"status": "offline", "comments": "down", "custom_fields": {"rack_units": 4}}
        interface = Interface.objects.filter(device=device).first()
        return [
            Request("devices, 20", "/api/dcim/devices/?limit=20"),
            Request("devices, 50 (the default)", "/api/dcim/devices/", sampled=True),
            Request("devices, 500", "/api/dcim/devices/?limit=500", sampled=True),
            Request("devices, brief, 50", "/api/dcim/devices/?brief=true"),
            Request("interfaces, 50", "/api/dcim/interfaces/", sampled=True),
            Request("interfaces, 500", "/api/dcim/interfaces/?limit=500"),
            Request("IP addresses, 50", "/api/ipam/ip-addresses/", sampled=True),
            Request("IP addresses, 500", "/api/ipam/ip-addresses/?limit=500"),
            Request("prefixes, 50", "/api/ipam/prefixes/"),
            Request("sites, 40", "/api/dcim/sites/"),
            Request("racks, 50", "/api/dcim/racks/"),
            Request(
                "active devices of a site with a tag",
                f"/api/dcim/devices/?site={site.slug}&status=active&tag=tag-0",
            ),
            Request("devices, searched", "/api/dcim/devices/?q=device-12"),
            Request("a device", f"/api/dcim/devices/{device.pk}/", sampled=True),
            Request("an interface", f"/api/dcim/interfaces/{interface.pk}/"),
            Request("POST a device", "/api/dcim/devices/", "POST", written, sampled=True),
            Request("PATCH a device", f"/api/dcim/devices/{device.pk}/", "PATCH", changed),
        ]


APPLICATION = NetBox()


def add_user() -> None:
    from django.contrib.contenttypes.models import ContentType
    from users.models import ObjectPermission, Token, User

    user = User.objects.create(username="operator")
    everything = ["view", "add", "change"]
    for name, labels, constraints in [
        ("devices", [("dcim", "device")], {"site__status": "active"}),
        ("interfaces", [("dcim", "interface")], {"device__site__status": "active"}),
        (
            "the rest",
            [
                *(("dcim", each) for each in ("site", "rack", "devicetype", "devicerole")),
                *(("ipam", each) for each in ("ipaddress", "prefix", "vlan")),
                *(("tenancy", "tenant"), ("extras", "tag")),
            ],
            None,
        ),
    ]:
        permission = ObjectPermission.objects.create(
            name=name, actions=everything, constraints=constraints
        )
        types = [ContentType.objects.get_by_natural_key(*each) for each in labels]
        permission.object_types.set(types)
        permission.users.add(user)
    # NetBox notes the last use of a token once a minute, which would be a query more at times.
    never = datetime.datetime(2999, 1, 1, tzinfo=datetime.UTC)
    Token.objects.create(user=user, key=KEY, token=TOKEN, last_used=never)


class Inventory:
    """What the database is filled with."""

    def add(self) -> None:
        """Add everything, in an order in which the one may refer to the other."""
        self.add_shared()
        self.add_sites()
        self.add_devices()
        self.add_interfaces()
        self.add_addresses()

    def add_shared(self) -> None:
        """Add what many objects refer to: custom fields, tags, tenants, types, roles."""
        from dcim import models
        from django.contrib.contenttypes.models import ContentType
        from extras.models import CustomField, CustomFieldChoiceSet, Tag
        from ipam.models import VLAN, VRF
        from tenancy.models import Tenant, TenantGroup

        choices = CustomFieldChoiceSet.objects.create(
            name="support", extra_choices=[["gold", "Gold"], ["silver", "Silver"]]
        )
        labels = [("dcim", "device"), ("dcim", "interface"), ("ipam", "ipaddress")]
        types = [ContentType.objects.get_by_natural_key(*each) for each in labels]
        for name, kind, options in [
            ("owner_name", "text", {}),
            ("rack_units", "integer", {}),
            ("monitored", "boolean", {}),
            ("bought", "date", {}),
            ("support", "select", {"choice_set": choices}),
            (
                "home_site",
                "object",
                {"related_object_type": ContentType.objects.get_for_model(models.Site)},
            ),
        ]:
            CustomField.objects.create(name=name, type=kind, **options).object_types.set(types)
        self.tags = created(Tag, 8, name="Tag {}", slug="tag-{}")
        group = TenantGroup.objects.create(name="Customers", slug="customers")
        self.tenants = created(Tenant, 20, name="Tenant {}", slug="tenant-{}", group=group)
        maker = models.Manufacturer.objects.create(name="Maker", slug="maker")
        kinds = {"manufacturer": maker, "model": "Model {}", "slug": "model-{}", "u_height": 1}
        self.types = created(models.DeviceType, 6, **kinds)
        self.roles = created(models.DeviceRole, 5, name="Role {}", slug="role-{}")
        self.platform = models.Platform.objects.create(name="System", slug="system")
        self.vlans = created(VLAN, 30, vid=lambda number: number + 1, name="vlan {}")
        self.vrf = VRF.objects.create(name="internal", rd="65000:1")

    def add_sites(self) -> None:
        from dcim import models

        world = models.Region.objects.create(name="World", slug="world")
        self.sites = created(
            models.Site,
            SITES,
            name="Site {}",
            slug="site-{}",
            status=[*["active"] * 9, "planned"],
            region=created(models.Region, 5, name="Region {}", slug="r-{}", parent=world),
            tenant=self.tenants,
            facility="Building {}",
            time_zone="Europe/Berlin",
            latitude="52.5200",
        )
        of_site = {"site": self.sites, "status": "active", "u_height": 42}
        self.racks = created_at_once(models.Rack, SITES * RACKS, name="Rack {}", **of_site)

    def custom_fields(self, number: int) -> dict[str, Any]:
        return {
            "owner_name": f"team {number % 7}",
            "rack_units": number % 40,
            "monitored": number % 2 == 0,
            "bought": f"2023-0{number % 9 + 1}-15",
            "support": ("gold", "silver", None)[number % 3],
            "home_site": self.sites[number % SITES].pk if number % 4 == 0 else None,
        }

    def add_devices(self) -> None:
        from dcim.models import Device

        self.devices = created_at_once(
            Device,
            DEVICES,
            name="device-{}",
            device_type=self.types,
            role=self.roles,
            platform=[None, self.platform, self.platform],
            tenant=lambda number: self.tenants[number % 20] if number % 4 else None,
            site=[rack.site for rack in self.racks],
            rack=self.racks,
            position=lambda number: 1 + number // len(self.racks),
            face="front",
            serial="S-{}",
            status=["active", "offline", "planned", "active"],
            comments=["", "in use"],
            custom_field_data=self.custom_fields,
        )
        self.tag(self.devices)

    def add_interfaces(self) -> None:
        from dcim.models import Interface

        def of_device(choose: Any) -> Any:
            return lambda number: choose(self.devices[number // INTERFACES])

        self.interfaces = created_at_once(
            Interface,
            DEVICES * INTERFACES,
            device=of_device(lambda device: device),
            name=["eth0", "eth1", "eth2", "eth3"],
            type="1000base-t",
            enabled=[True, True, True, False],
            mtu=1500,
            speed=1_000_000,
            mode=["tagged", "", "", ""],
            untagged_vlan=[vlan for each in self.vlans for vlan in (each, None, None, None)],
            description=["uplink", "", "", ""],
            custom_field_data=lambda number: self.custom_fields(number // INTERFACES),
            _name=[f"9999999999999999eth{each:06}" for each in range(INTERFACES)],
            _site=of_device(lambda device: device.site),
            _rack=of_device(lambda device: device.rack),
        )
        tagged = Interface.tagged_vlans.through
        tagged.objects.bulk_create(
            tagged(interface_id=interface.pk, vlan_id=self.vlans[(number + each) % 30].pk)
            for number, interface in enumerate(self.interfaces[::INTERFACES])
            for each in (1, 2)
        )

    def add_addresses(self) -> None:
        """Add prefixes, an address for each device, and cables between some of the interfaces."""
        from dcim.models import Cable, Device
        from ipam.models import IPAddress, Prefix

        common = {"status": "active", "vrf": [None, self.vrf], "tenant": self.tenants}
        created_at_once(
            Prefix,
            1000,
            prefix=lambda number: f"10.{number // 250}.{number % 250}.0/24",
            description="network {}",
            **common,
        )
        addresses = created_at_once(
            IPAddress,
            DEVICES,
            address=lambda number: f"10.0.{number // 200 % 250}.{number % 200 + 1}/24",
            dns_name="device-{}.example.com",
            assigned_object=self.interfaces[::INTERFACES],
            custom_field_data=self.custom_fields,
            **common,
        )
        self.tag(addresses)
        for device, address in zip(self.devices, addresses, strict=True):
            device.primary_ip4 = address
        Device.objects.bulk_update(self.devices, ["primary_ip4"], batch_size=500)
        for number in range(0, 200, 2):
            ends = [self.interfaces[(number + each) * INTERFACES] for each in (0, 1)]
            Cable(a_terminations=ends[:1], b_terminations=ends[1:], type="cat6").save()

    def tag(self, objects: list[Any]) -> None:
        from django.contrib.contenttypes.models import ContentType
        from extras.models import TaggedItem

        kind = ContentType.objects.get_for_model(objects[0])
        TaggedItem.objects.bulk_create(
            TaggedItem(content_type=kind, object_id=each.pk, tag=self.tags[(number + more) % 8])
            for number, each in enumerate(objects)
            if number % 3
            for more in (0, 3)
        )
