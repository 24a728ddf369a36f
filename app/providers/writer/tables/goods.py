"""Trades that feed, furnish, carry and look after people."""

from app.providers.writer.tables.shapes import Category

GOODS = (
    Category(
        "coffee", "Coffee and tea",
        "coffee; specialty coffee; wholesale coffee; coffee beans; office coffee; coffee machines; tea; wholesale tea",
        "coffee; roastery; roaster; roasters; roast; beans; espresso; barista; single origin; blend; blends; brew; "
        "tea; grinder; cupping",
        "coffee",
        "serving coffee that guests forget; a coffee machine that keeps breaking down", "serving better coffee",
        "food; owner",
        {
            "cafes": "Their name depends on what is in the cup.",
            "restaurants": "Coffee is usually the last thing that guests taste.",
            "hotels": "Guests remember breakfast, and coffee is a part of it.",
            "offices": "The coffee corner is where teams meet.",
            "grocers": "They look for local products that customers come back for.",
        },
    ),
    Category(
        "bakery", "Bakery and wholesale food",
        "bread and pastries; wholesale bread; baked goods; wholesale food; artisan bread; fresh produce; cheese; "
        "chocolate; meat and fish; wholesale baked goods; organic food",
        "bakery; bread; sourdough; pastries; pastry; cakes; baked; flour; loaves; croissants; cheese; chocolate; "
        "produce; vegetables; butcher; fish; ingredients; organic; delivered fresh",
        "food supplies",
        "running out of fresh goods at noon; throwing away what was not "
        "sold", "serving fresh goods every day", "food; owner",
        {
            "cafes": "What lies next to the till decides how much is spent.",
            "restaurants": "Bread is the first thing on the table.",
            "hotels": "A good breakfast begins with what is delivered in the morning.",
            "grocers": "Local goods bring customers through the door.",
            "caterers": "They need large amounts on some days and none on others.",
        },
    ),
    Category(
        "catering", "Catering",
        "catering; corporate catering; office lunches; event catering; canteen services; office catering",
        "catering; caterer; buffet; lunch; lunches; canapés; menus; chef; chefs; canteen; guests; weddings; platters; "
        "dietary; vegan",
        "catering",
        "ordering lunch for many tastes; finding a caterer at short "
        "notice", "feeding a team well without effort", "events; facilities",
        {
            "offices": "Lunch together is one of the reasons to come in.",
            "events": "Guests remember the food, good or bad.",
            "agencies": "Workshops and pitches often run over lunch.",
            "law": "Client meetings and long evenings need good food.",
            "venues": "Halls without a kitchen need a partner.",
        },
    ),
    Category(
        "drinks", "Beer, wine and drinks",
        "craft beer; wine; wholesale wine; soft drinks; spirits; wholesale drinks; beer; non-alcoholic drinks; "
        "kombucha",
        "brewery; beer; beers; ale; lager; wine; wines; winery; vineyard; spirits; gin; distillery; kombucha; "
        "bottles; kegs; draught; soft drinks; cellar",
        "the drinks list",
        "offering the same drinks as everybody else; being out of stock at the "
        "weekend", "having a drinks list that guests talk about", "food; owner",
        {
            "restaurants": "The drinks list earns a good part of the evening.",
            "hotels": "The bar should offer what is made nearby.",
            "grocers": "Customers come for bottles that supermarkets do not have.",
            "events": "Large amounts are needed cold, on one day.",
            "cafes": "A few good bottles turn an afternoon into an evening.",
        },
    ),
    Category(
        "furniture", "Furniture and interiors",
        "office furniture; furniture; contract furniture; interior design; custom furniture; ergonomic furniture; "
        "acoustic panels",
        "furniture; desks; desk; chairs; chair; tables; interior; interiors; ergonomic; upholstery; workstations; "
        "acoustic; shelving; wood; oak; showroom",
        "furniture and rooms",
        "sitting badly all day; waiting months for "
        "furniture", "having rooms that people like to use", "facilities; operations",
        {
            "offices": "Fewer desks and more meeting places are on many plans.",
            "hotels": "Furniture has to look good after thousands of guests.",
            "restaurants": "Guests stay longer where they sit well.",
            "coworking": "Members can leave every month, so rooms have to convince.",
            "architects": "They choose what others buy.",
        },
    ),
    Category(
        "workwear", "Workwear and uniforms",
        "workwear; uniforms; protective clothing; corporate clothing; safety equipment; laundry services; linen "
        "rental; team clothing",
        "workwear; uniforms; uniform; protective; safety shoes; gloves; helmets; embroidery; garments; laundry; "
        "linen; rental; hi-vis; jackets",
        "work clothing",
        "ordering single sizes again and again; lending out jackets that never come "
        "back", "having everybody dressed well and safely", "procurement; operations",
        {
            "construction": "Protective clothing wears out quickly.",
            "manufacturers": "Many sizes and rules have to be met at once.",
            "hotels": "Guests recognise staff by what they wear.",
            "clinics": "Clothing has to be clean every single day.",
            "logistics": "New people start every month and need clothing on the first day.",
        },
    ),
    Category(
        "freight", "Freight and logistics",
        "freight services; warehousing; fulfilment; road freight; courier services; air and sea freight; customs "
        "clearance; logistics services; refrigerated transport",
        "freight; haulage; shipping; warehousing; fulfilment; fulfillment; pallets; containers; customs; trucks; "
        "lorries; courier; storage; forwarder; deliveries; temperature-controlled",
        "transport and storage",
        "explaining late deliveries to customers; paying for half-empty "
        "trucks", "delivering on the promised day", "supply; operations",
        {
            "manufacturers": "Parts come from many places and have to arrive together.",
            "ecommerce": "Orders double before holidays, and storage does not.",
            "food_makers": "Cold goods must not wait.",
            "wholesalers": "Margins are small and every pallet counts.",
            "exporters": "Customs papers decide when a container moves.",
        },
    ),
    Category(
        "vehicles", "Vehicles and repair",
        "fleet maintenance; vehicle repair; vehicle rental; van rental; vehicle leasing; cargo bikes; tyre services; "
        "truck repair",
        "vehicle; vehicles; garage; workshop; mechanic; mechanics; van; vans; truck; trucks; leasing; rental; tyres; "
        "brakes; mot; servicing; cargo bikes; electric vans",
        "vehicle maintenance",
        "having vans off the road; booking repairs one by one", "keeping vehicles on the road", "fleet; operations",
        {
            "fleets": "A van in the workshop is a tour that somebody else has to drive.",
            "trades": "Without the van there is no work that day.",
            "care": "Carers drive from home to home with many small cars.",
            "public": "They run many kinds of vehicles on tight budgets.",
            "logistics": "Vehicles run in shifts and have little time for service.",
        },
    ),
    Category(
        "medical_supplies", "Medical and laboratory supplies",
        "medical supplies; laboratory equipment; dental supplies; medical devices; lab equipment; diagnostic "
        "equipment; dental equipment",
        "medical supplies; laboratory; lab; dental; instruments; sterile; diagnostic; implants; consumables; gloves; "
        "microscopes; reagents; ultrasound; ce marked",
        "medical and laboratory "
        "supplies",
        "running out of consumables; waiting for a service "
        "engineer", "restocking before supplies run out", "clinical; procurement",
        {
            "clinics": "Treatment stops when one small thing is missing.",
            "dentists": "Every chair needs its instruments, ready and sterile.",
            "hospitals": "They order a wide range of articles from many suppliers.",
            "vets": "They need the same quality as a clinic, in other sizes.",
            "pharma": "Experiments cannot be repeated with other material.",
        },
    ),
    Category(
        "waste", "Waste and recycling",
        "waste collection; recycling; waste management; confidential shredding; scrap metal recycling; skip hire; "
        "food waste collection",
        "waste; recycling; recycle; bins; skip; skips; scrap; disposal; shredding; landfill; collection; hazardous; "
        "compost; circular",
        "waste and recycling",
        "paying for bins that are half empty; sorting waste by "
        "hand", "paying less for disposal", "facilities; sustainability",
        {
            "construction": "Every site begins and ends with rubble.",
            "restaurants": "Food waste has to be collected often.",
            "manufacturers": "Scrap has a value if it is kept apart.",
            "retail": "Cardboard fills the yard every day.",
            "hospitals": "Much of their waste falls under strict rules.",
        },
    ),
    Category(
        "venue", "Venues and hotels",
        "meeting rooms; an event venue; conference rooms; a conference venue; team retreats; group stays; hotel rooms "
        "for business travellers",
        "venue; meeting rooms; conference; hotel; rooms; retreat; retreats; seminar; accommodation; guests; "
        "overnight; banquet; location; stay",
        "meetings and retreats",
        "finding a place for everybody; comparing venues for days", "getting the whole team together", "events; people",
        {
            "teams_remote": "People who work apart need days together.",
            "consultancies": "Workshops with clients work better away from both offices.",
            "nonprofits": "Members and volunteers come together from many places.",
            "software": "Teams meet in person a few times a year.",
            "agencies": "Pitches and workshops need rooms with some character.",
        },
    ),
    Category(
        "wellbeing", "Health at work",
        "corporate wellbeing; corporate fitness; workplace yoga; health programmes; employee assistance; workplace "
        "massage; mental health support",
        "wellbeing; wellness; yoga; massage; mindfulness; stress; burnout; mental health; fitness; exercise; "
        "physiotherapy; health days; resilience; therapist",
        "health at work",
        "losing people to long sick leave; offering benefits that nobody "
        "uses", "having people who feel well at work", "people; facilities",
        {
            "offices": "Long hours at a desk leave their marks.",
            "software": "Benefits are compared, and health is among the first to be asked about.",
            "manufacturers": "Backs and shoulders suffer on the line.",
            "hospitals": "Shift work takes its toll.",
            "banks": "Pressure is high, and offices are large.",
        },
    ),
    Category(
        "travel", "Travel and transfers",
        "business travel; corporate travel management; coach hire; group travel; airport transfers; chauffeur "
        "services; bus charter",
        "travel; flights; trips; itinerary; coach hire; coaches; transfers; chauffeur; chauffeurs; passengers; "
        "charter; tours; booking; relocation",
        "business travel",
        "booking trips one by one; waiting for taxis with "
        "guests", "getting people there without fuss", "operations; events",
        {
            "consultancies": "Their people travel every week.",
            "events": "Hundreds of guests have to arrive at the same time.",
            "exporters": "Their engineers and sellers visit customers abroad.",
            "schools": "Trips need safe coaches and patient drivers.",
            "hotels": "Guests ask for transfers at any hour.",
        },
    ),
    Category(
        "moving", "Moving and relocation",
        "office moves; removals; relocation services; moving services; storage; archive storage; office relocation",
        "moving; removals; movers; relocation; office move; storage; packing; crates; archive; expat; relocate",
        "office moves",
        "planning a move next to daily work; losing days to "
        "packing", "being back at work the next morning", "facilities; people",
        {
            "offices": "A move has to happen between Friday and Monday.",
            "law": "Archives are heavy and confidential.",
            "coworking": "Members move in and out every month.",
            "universities": "Laboratories and libraries move with their buildings.",
            "exporters": "People are sent abroad with their families.",
        },
    ),
)  # fmt: skip
