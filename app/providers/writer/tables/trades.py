"""Trades that make, build, carry, feed and look after things."""

from app.providers.writer.tables.shapes import Category

TRADES = (
    Category(
        "cleaning", "Cleaning",
        "office cleaning; commercial cleaning; cleaning services; window cleaning; industrial cleaning; medical "
        "cleaning; contract cleaning",
        "cleaning; cleaners; cleaner; office cleaning; janitorial; hygiene; disinfection; window cleaning; carpets; "
        "floors; washrooms; spotless",
        "cleaning",
        "complaining about the same things every month; finding cleaners who "
        "stay", "having one less thing to complain about", "facilities; property",
        {
            "offices": "Many people use the same rooms, and everybody notices when they are not clean.",
            "clinics": "Hygiene is checked, and it has to be documented.",
            "property": "They answer for staircases and entrances in many buildings.",
            "schools": "Rooms are used all day and have to be ready the next morning.",
            "gyms": "Members judge a studio by its changing rooms.",
        },
    ),
    Category(
        "roofing", "Roofing",
        "roofing; flat roofing; commercial roofing; roof repairs; roof maintenance; roof repair and maintenance; "
        "industrial roofing",
        "roof; roofs; roofing; roofer; roofers; flat roof; gutters; slate; tiles; leak; leaks; membrane; skylights; "
        "waterproofing",
        "roof maintenance",
        "learning of a leak from a tenant; waiting weeks for a "
        "roofer", "finding roof damage early", "property; facilities",
        {
            "property": "They look after many roofs and hear of leaks from tenants.",
            "manufacturers": "Large halls have large roofs, and water stops production.",
            "schools": "Repairs have to fit into the holidays.",
            "warehouses": "Goods below the roof are usually worth more than the roof.",
            "construction": "Main contractors need roofers who come on the agreed day.",
        },
    ),
    Category(
        "electrical", "Electrical installation",
        "electrical installation; electrical services; electrical maintenance; lighting installation; charging "
        "stations; electrical testing",
        "electrician; electricians; electrical; wiring; lighting; charging stations; ev charging; switchboard; "
        "testing; installation; fuse; cabling; led",
        "electrical systems",
        "waiting for an electrician; putting off inspections", "passing every inspection", "facilities; projects",
        {
            "construction": "Other crafts wait when the electrician is late.",
            "property": "Inspections are due in many buildings.",
            "retail": "Lighting sells, and it costs power all day.",
            "manufacturers": "A failed supply stops the machines.",
            "offices": "Charging stations and new layouts need new cables.",
        },
    ),
    Category(
        "hvac", "Heating, cooling and plumbing",
        "heating and cooling; air conditioning; HVAC services; plumbing; heat pumps; refrigeration; ventilation; "
        "boiler maintenance",
        "heating; cooling; air conditioning; hvac; boiler; boilers; plumbing; plumber; heat pump; heat pumps; "
        "ventilation; refrigeration; radiators; pipes",
        "heating and cooling",
        "losing heating on the coldest day; paying for systems that run at "
        "night", "keeping buildings comfortable at lower cost", "facilities; property",
        {
            "property": "Tenants call first when the heating fails.",
            "hotels": "A room that is too warm becomes a bad review.",
            "food_makers": "Cooling has to work every hour of the year.",
            "offices": "Old systems tend to run whether somebody is there or not.",
            "hospitals": "Air has to be clean and temperatures steady.",
        },
    ),
    Category(
        "construction", "Building and renovation",
        "building work; construction services; renovation; shop fitting; office fit-outs; refurbishment; joinery; "
        "commercial construction; painting and decorating",
        "construction; building; builders; renovation; refurbishment; fit-out; fit-outs; carpentry; joinery; "
        "concrete; groundworks; painting; decorators; drywall; flooring",
        "building projects",
        "coordinating many trades; opening later than planned", "opening on the planned day", "projects; property",
        {
            "retail": "Every week of building work is a week without sales.",
            "developers": "They need partners who keep dates and budgets.",
            "restaurants": "A new place earns nothing until it opens.",
            "offices": "Moves and new layouts have to happen next to daily work.",
            "hotels": "Rooms can only be renovated when guests are few.",
        },
    ),
    Category(
        "solar", "Solar and energy systems",
        "solar installations; solar panels; commercial solar; battery storage; solar systems; energy efficiency "
        "services; charging infrastructure",
        "solar; photovoltaic; pv; panels; battery; storage; renewable; kilowatt; kwp; energy costs; grid; inverter; "
        "feed-in; rooftop; electricity bill",
        "energy costs",
        "paying more for power every year; leaving a large roof "
        "unused", "paying less for electricity", "sustainability; owner",
        {
            "manufacturers": "They use most of their power by day, when the sun shines.",
            "farms": "Barns have large roofs, and cooling and feeding need power.",
            "warehouses": "Few buildings have so much roof on so little ground.",
            "grocers": "Fridges run all day, every day.",
            "property": "Owners look for ways to keep service charges down.",
        },
    ),
    Category(
        "landscaping", "Gardens and grounds",
        "landscaping; grounds maintenance; garden maintenance; tree care; winter services; garden design; office "
        "plants",
        "landscaping; garden; gardens; gardeners; grounds; lawn; trees; tree; hedges; planting; mowing; gritting; "
        "snow; outdoor spaces; plants",
        "the outdoor areas",
        "chasing gardeners in spring; clearing snow before "
        "work", "having grounds that look cared for", "facilities; property",
        {
            "property": "Tenants see the garden before they see the flat.",
            "offices": "Visitors form an opinion at the entrance.",
            "hotels": "The garden is part of what guests pay for.",
            "schools": "Trees and playgrounds have to be safe.",
            "care": "Residents spend much of their time in the garden.",
        },
    ),
    Category(
        "guarding", "Security on site",
        "security guards; alarm systems; video surveillance; access control; event security; security services; fire "
        "protection; locksmith services",
        "security guards; guarding; guards; alarm; alarms; cctv; surveillance; access control; patrol; patrols; "
        "reception; fire protection; locks; intruder",
        "site security",
        "not knowing who is in the building; replacing lost "
        "keys", "knowing who comes and goes", "facilities; operations",
        {
            "construction": "Machines and copper stand on site overnight.",
            "retail": "Theft is a cost that they feel every day.",
            "events": "Many people come in at once, for one evening.",
            "warehouses": "Valuable goods leave by many gates.",
            "offices": "Lost keys and visitors are part of every week.",
        },
    ),
    Category(
        "machining", "Machining and contract manufacturing",
        "CNC machining; precision machining; contract manufacturing; sheet metal work; precision parts; injection "
        "moulding; 3D printing; metal fabrication; toolmaking",
        "cnc; machining; milling; turning; precision; parts; tolerances; tolerance; aluminium; stainless; prototypes; "
        "batch; batches; sheet metal; welding; moulding; fabrication; drawings",
        "machined parts",
        "waiting weeks for prototype parts; returning parts that are out of "
        "tolerance", "getting good parts on the agreed day", "procurement; production",
        {
            "machinery": "They need small batches of many different parts.",
            "medtech": "Every part has to be traceable and exact.",
            "aerospace": "Tolerances are tight and paperwork is part of the product.",
            "electronics": "Housings and heat sinks change with every version.",
            "carmakers": "Prototypes are needed long before a series begins.",
        },
    ),
    Category(
        "packaging", "Packaging",
        "packaging; cardboard packaging; sustainable packaging; custom packaging; shipping boxes; labels; food "
        "packaging",
        "packaging; boxes; cardboard; corrugated; cartons; labels; pouches; recyclable; compostable; mailers; printed "
        "boxes; pallets; film",
        "packaging",
        "paying to ship air; throwing away damaged goods", "shipping with less material", "procurement; supply",
        {
            "ecommerce": "The parcel is often the only thing that customers touch before the product.",
            "food_makers": "Packs have to protect, inform and look good.",
            "brands": "Their customers look closely at waste.",
            "medtech": "Packs have to stay sterile until they are opened.",
            "wholesalers": "Damaged goods cost twice, once in value and once in time.",
        },
    ),
    Category(
        "printing", "Printing and signs",
        "printing; print services; signs; large format printing; signage; promotional products; branded merchandise; "
        "business printing",
        "print; printing; printer; printers; brochures; flyers; banners; signage; signs; posters; business cards; "
        "large format; merchandise; promotional; giveaways; vehicle lettering",
        "print and signs",
        "reordering because of wrong colours; ordering from five "
        "suppliers", "having print ready on time", "marketing; procurement",
        {
            "agencies": "They promise dates to clients and depend on printers to keep them.",
            "events": "Everything is needed on one day, and nothing the day after.",
            "retail": "Windows and prices change with every season.",
            "restaurants": "Menus and signs change more often than planned.",
            "real_estate": "Every new listing needs boards and brochures.",
        },
    ),
)  # fmt: skip
