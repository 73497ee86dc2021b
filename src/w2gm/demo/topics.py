"""The words of the planted corpus: topics, ambiguous words, and general words over narrower ones.

Plain text tables, the most frequent word of a row first. A topic has four rows: people (who act), things,
actions (in a past tense that is also the participle, so that it serves the passive) and traits (adjectives).
A word of `TOPICS` belongs to one topic only; the words of two or three topics stand in `AMBIGUOUS`.
"""

from __future__ import annotations

TOPICS = """
river
    people   fisherman angler ferryman rower boatman
    things   water stream canoe trout shore salmon mud reed otter waterfall tributary rapids
    actions  crossed fished waded paddled dredged
    traits   muddy shallow winding murky rippling
finance
    people   banker investor trader broker economist
    things   money loan market deposit mortgage credit debt currency dividend portfolio bond bankruptcy
    actions  invested borrowed repaid audited financed
    traits   financial profitable monetary thrifty fiscal
geology
    people   geologist miner prospector surveyor volcanologist
    things   granite limestone cliff boulder quartz basalt sediment canyon fossil magma sandstone crust
    actions  excavated mined eroded blasted quarried
    traits   volcanic jagged sedimentary rocky molten
music
    people   guitarist singer drummer composer pianist
    things   guitar song melody concert album piano rhythm violin chorus drum tune harmony
    actions  performed recorded composed rehearsed strummed
    traits   melodic acoustic musical catchy rhythmic
biology
    people   biologist geneticist microbiologist physiologist
    things   protein gene membrane nucleus organism enzyme tissue chromosome bacterium embryo hormone antibody
    actions  cloned cultured sequenced replicated mutated
    traits   genetic microscopic organic cellular embryonic
telephony
    people   caller operator subscriber receptionist telemarketer
    things   phone message call signal network voicemail battery ringtone headset antenna handset switchboard
    actions  dialled answered texted transmitted redialled
    traits   mobile wireless cordless prepaid busy
prison
    people   prisoner guard warden inmate jailer convict
    things   jail shackle bunk parole handcuff fence corridor dungeon watchtower yard padlock confinement
    actions  locked jailed imprisoned handcuffed escaped
    traits   solitary barred grim penal dingy
astronomy
    people   astronomer stargazer astronaut cosmologist
    things   planet telescope galaxy moon orbit comet sky constellation nebula asteroid eclipse supernova
    actions  observed orbited discovered charted glimpsed
    traits   distant lunar bright cosmic celestial
cinema
    people   actor director actress producer screenwriter
    things   film movie scene role audience camera screen script premiere studio sequel blockbuster
    actions  filmed directed portrayed premiered dubbed
    traits   dramatic glamorous cinematic animated famed
orchard
    people   grower picker orchardist fruiterer
    things   pear cherry plum juice peach harvest apricot cider basket blossom crate marmalade
    actions  picked harvested pruned squeezed peeled
    traits   ripe juicy sweet crisp sour
computing
    people   programmer hacker developer administrator
    things   software computer program keyboard code server laptop database password disk browser spreadsheet
    actions  downloaded installed typed debugged programmed
    traits   digital online encrypted virtual graphical
garden
    people   gardener botanist florist landscaper
    things   flower soil rose seed leaf root tulip lawn hedge daisy compost greenhouse
    actions  watered weeded fertilized trimmed mulched
    traits   leafy fragrant blooming fertile evergreen
factory
    people   foreman welder machinist manufacturer
    things   machine assembly steel conveyor furnace warehouse production boiler chimney sawmill forklift
    actions  manufactured assembled welded packaged automated
    traits   industrial efficient automatic idle noisy
politics
    people   president senator minister candidate governor voter
    things   election party vote government parliament campaign policy ballot coalition reform referendum
    actions  elected governed debated vetoed lobbied
    traits   liberal conservative democratic political electoral
railway
    people   passenger conductor traveller porter commuter
    things   train station ticket platform luggage journey carriage timetable suitcase locomotive tram depot
    actions  boarded reached visited toured missed
    traits   delayed punctual crowded scheduled homeward
baseball
    people   pitcher batter catcher umpire outfielder
    things   inning homer league glove stadium dugout mound shortstop bunt bullpen strikeout playoff
    actions  pitched batted struck fielded tossed
    traits   scoreless rookie hitless seasoned amateur
cave
    people   caver spelunker naturalist
    things   darkness cavern echo roost stalactite lantern grotto fang guano burrow stalagmite twilight
    actions  explored illuminated squeaked entered mapped
    traits   nocturnal dark underground eerie blind
birds
    people   birdwatcher ornithologist falconer
    things   nest feather heron wing sparrow egg beak flock eagle wetland robin plumage
    actions  hatched sighted banded nested preened
    traits   feathered migratory graceful hooded flightless
construction
    people   builder carpenter architect bricklayer roofer
    things   concrete brick scaffold roof hammer cement girder foundation excavator skyscraper bulldozer
    actions  built hoisted demolished plastered renovated
    traits   unfinished reinforced towering structural wooden
army
    people   soldier commander sergeant colonel infantryman
    things   battle rifle artillery regiment trench cannon invasion battlefield helmet ammunition ambush
    actions  attacked defended captured invaded bombarded
    traits   military armoured wounded fortified retreating
aquarium
    people   aquarist hobbyist diver
    things   fish goldfish filter coral gravel algae shrimp snail seaweed guppy bubble pebble
    actions  stocked drained siphoned aerated submerged
    traits   tropical aquatic freshwater transparent colourful
law
    people   judge lawyer attorney defendant prosecutor juror
    things   trial jury verdict evidence witness crime testimony lawsuit appeal hearing plaintiff statute
    actions  sued convicted acquitted prosecuted sentenced
    traits   legal guilty innocent criminal judicial
tennis
    people   opponent champion semifinalist linesman
    things   racket tournament serve volley backhand forehand net baseline deuce tiebreak rematch grandstand
    actions  defeated won volleyed smashed served
    traits   unseeded grassy athletic straight tireless
weather
    people   meteorologist forecaster weatherman
    things   rain winter snow summer storm autumn cloud thunder temperature frost breeze blizzard
    actions  soaked drenched forecast chilled thawed
    traits   rainy sunny cold warm humid
clockwork
    people   watchmaker clockmaker horologist tinkerer
    things   clock watch gear pendulum dial lever cog coil ratchet chime tweezer mechanism
    actions  wound repaired oiled adjusted dismantled
    traits   mechanical coiled rusty precise antique
arctic
    people   explorer whaler skipper trapper
    things   ice walrus iceberg whale glacier sled tundra fjord blubber penguin harpoon floe
    actions  hunted harpooned skinned trekked stranded
    traits   frozen polar icy northern bleak
archive
    people   archivist notary clerk scribe historian
    things   document letter envelope signature parchment wax manuscript stamp ledger ink scroll charter
    actions  signed stamped catalogued archived copied
    traits   official handwritten medieval dusty authentic
electricity
    people   electrician physicist technician inventor
    things   wire voltage circuit generator socket transformer resistor fuse lightbulb turbine capacitor
    actions  wired powered insulated switched electrified
    traits   electric magnetic conductive static portable
school
    people   teacher student headmaster tutor schoolgirl
    things   classroom lesson homework exam textbook blackboard essay playground curriculum desk diploma
    actions  taught studied graded tutored scolded
    traits   diligent attentive educational studious lazy
medicine
    people   doctor surgeon nurse patient optician
    things   eye hospital surgery retina lens liver heart clinic cornea transplant lung diagnosis
    actions  treated examined diagnosed transplanted dilated
    traits   medical surgical infected healthy chronic
church
    people   priest bishop pastor organist pilgrim
    things   choir hymn cathedral sermon prayer altar chapel pew congregation psalm steeple gospel
    actions  blessed preached prayed consecrated baptized
    traits   holy sacred religious solemn gothic
cards
    people   dealer gambler bluffer croupier
    things   poker ace joker spade casino wager blackjack jackpot bluff solitaire cheat roulette
    actions  shuffled dealt bluffed gambled trumped
    traits   lucky reckless crooked winning ruinous
sailing
    people   sailor captain helmsman navigator mariner
    things   ship mast sea anchor sail harbour yacht hull voyage rudder lighthouse compass
    actions  sailed moored steered navigated launched
    traits   seaworthy stormy nautical salty maritime
pets
    people   owner breeder veterinarian dogwalker
    things   dog cat puppy kitten leash collar tail kennel hamster terrier paw whisker
    actions  walked groomed petted adopted stroked
    traits   furry playful loyal obedient tame
forest
    people   lumberjack ranger woodcutter forester
    things   tree oak pine branch deer moss timber birch fox fern woodland stump
    actions  felled chopped logged replanted sawed
    traits   mossy shady hollow wooded overgrown
camping
    people   camper hiker scout backpacker
    things   fire tent campfire flame smoke kindling firewood candle ember torch ash backpack
    actions  lit burned kindled roasted extinguished
    traits   smoky blazing damp flammable outdoor
safari
    people   poacher tracker conservationist tourist
    things   elephant lion zebra tusk savanna giraffe jeep rhinoceros herd antelope ivory leopard
    actions  stalked tracked photographed poached tranquillized
    traits   wild endangered majestic thirsty grazing
traffic
    people   driver motorist cyclist pedestrian chauffeur
    things   car road truck bus highway engine wheel van garage intersection lane bumper
    actions  parked crashed towed honked refuelled
    traits   congested speeding bumpy diesel paved
insects
    people   entomologist beekeeper exterminator
    things   ant bee beetle wasp hive butterfly larva mosquito moth spider swarm caterpillar
    actions  stung infested pollinated swarmed swatted
    traits   tiny crawling buzzing venomous spotted
espionage
    people   spy agent detective informant defector
    things   microphone surveillance embassy codename dossier intelligence disguise cipher briefcase wiretap
    actions  infiltrated intercepted betrayed recruited decoded
    traits   secret undercover covert hidden suspicious
jewellery
    people   jeweller goldsmith bride heiress
    things   ring necklace gold ruby emerald pearl silver bracelet earring sapphire pendant brooch
    actions  engraved polished appraised inherited pawned
    traits   sparkling precious elegant flawless dazzling
chemistry
    people   chemist pharmacist alchemist
    things   acid compound laboratory oxygen reaction solvent hydrogen molecule beaker thermometer vapour
    actions  dissolved heated distilled diluted oxidized
    traits   chemical toxic soluble metallic volatile
mythology
    people   god goddess hero poet prophet
    things   temple legend myth oracle thunderbolt olympus underworld messenger sandal titan chariot shrine
    actions  worshipped cursed summoned enchanted revered
    traits   immortal divine mythical heroic roman
farm
    people   farmer shepherd milkmaid farmhand
    things   cow sheep horse barn hay wheat pig tractor field pasture goat chicken
    actions  milked ploughed sheared herded fed
    traits   rural barren stubborn pastoral fat
kitchen
    people   cook chef baker waiter
    things   soup bread sauce oven recipe butter dinner pan garlic onion flour spoon
    actions  cooked baked stirred fried boiled
    traits   delicious spicy creamy tasty crunchy
"""

# word, then where it is planted: topic/row.
AMBIGUOUS = """
apple    orchard/things      computing/things
bank     river/things        finance/things
bark     pets/things         forest/things
bass     music/things        river/things
bat      baseball/things     cave/things
bug      insects/things      computing/things    espionage/things
cell     biology/things      telephony/things    prison/things
charge   electricity/things  army/things
court    law/things          tennis/things
crane    birds/things        construction/things
current  river/things        electricity/things
deck     cards/things        sailing/things
diamond  jewellery/things    cards/things
jam      kitchen/things      traffic/things
left     politics/things     railway/actions
match    tennis/things       camping/things
mercury  astronomy/things    chemistry/things
mouse    farm/things         computing/things
organ    medicine/things     church/things
pitch    baseball/things     music/things
plant    garden/things       factory/things
pupil    school/people       medicine/things
rock     geology/things      music/things
seal     arctic/things       archive/things
spring   weather/things      clockwork/things
star     astronomy/things    cinema/people
tank     army/things         aquarium/things
trunk    safari/things       traffic/things
"""

# A general word, then narrower ones from more topics than a word has senses: it has to come out wider.
GENERAL = """
animal     dog cat cow sheep horse pig lion elephant zebra deer fox walrus whale otter heron
vehicle    car truck bus van train tram tractor jeep canoe yacht sled excavator
scientist  geologist biologist astronomer chemist meteorologist entomologist physicist ornithologist
worker     miner welder carpenter electrician lumberjack picker gardener farmhand
building   jail cathedral warehouse hospital barn stadium temple station casino greenhouse skyscraper
device     phone computer telescope camera generator thermometer clock microphone
"""
