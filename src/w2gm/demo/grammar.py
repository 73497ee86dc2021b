"""How a planted sentence is put together: templates, and the common words that any topic may use.

A template is plain English with slots in capitals, one slot for each row of a topic's table: PERSON, THING, ACTION
and TRAIT. TIME and MANNER are filled from the common words only.
"""

from __future__ import annotations

SLOTS = {"PERSON": "people", "THING": "things", "ACTION": "actions", "TRAIT": "traits"}

# Likelier templates come first, as likelier words do.
TEMPLATES = """
the PERSON ACTION the TRAIT THING near the THING
the PERSON ACTION the THING with a TRAIT THING TIME
TIME the PERSON ACTION the THING and the THING
the TRAIT THING was ACTION by the PERSON
a TRAIT PERSON ACTION the THING for the PERSON
the PERSON said that the THING was TRAIT and the THING was not
in the THING the PERSON found a TRAIT THING
they ACTION the THING MANNER while the PERSON ACTION the TRAIT THING
there was a THING in the TRAIT THING
the THING of the PERSON had been ACTION near the THING
when the PERSON came back the THING was MANNER ACTION
we saw the PERSON with the THING and a TRAIT THING TIME
without a THING no PERSON ACTION such a TRAIT THING
every PERSON knows the TRAIT THING of this THING
after the THING the PERSON MANNER ACTION it
her THING was more TRAIT than the THING of any PERSON
the PERSON and the PERSON ACTION their THING TIME
he told the PERSON about the TRAIT THING behind the THING
"""

# Clauses of one sentence are joined by one of these.
JOINTS = "and while but because although before so until"

COMMON = """
people   man woman friend child neighbour stranger expert visitor brother crowd
things   place thing way day house story idea part problem name town side question end
actions  used found wanted needed liked remembered described kept lost noticed
traits   new old good big small long great first famous strange beautiful important
"""

TIMES = """
yesterday
today
in the morning
last year
at night
for a long time
again
every week
after a while
once more
"""

MANNERS = "quickly slowly often never always carefully suddenly together almost quietly"
