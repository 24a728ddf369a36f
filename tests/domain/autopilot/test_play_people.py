"""What the votes on a play's sample people say of others."""

from app.domain.autopilot import play_people
from app.models.autopilot import PlaySample


def sample(person: str, fit: str, title: str, industry: str = "Schools", company: str = "") -> PlaySample:
    return PlaySample(person=person, fit=fit, found={"title": title, "industry": industry, "company": company})


def test_what_bad_fits_alone_share_speaks_against_others() -> None:
    found = [sample("ann", "bad", "Principal"), sample("ben", "", "Founder"), sample("eve", "good", "Head")]
    assert play_people.votes(found) == {"ann": "bad", "eve": "good", "title: Principal": "bad", "title: Head": "good"}
    found = [sample("ann", "bad", "Principal"), sample("ben", "good", "Principal"), sample("eve", "", "Head")]
    assert play_people.votes(found) == {"ann": "bad", "ben": "good"}


def test_a_trait_whose_every_value_has_a_bad_fit_speaks_against_no_one() -> None:
    """Two bad fits, one in each of the two industries that were asked for, leave people in both."""
    found = [
        sample("ann", "bad", "Principal", "Schools"),
        sample("ben", "bad", "Principal", "Schulen"),
        sample("eve", "", "Head", "Schools"),
    ]
    assert play_people.votes(found) == {"ann": "bad", "ben": "bad", "title: Principal": "bad"}
