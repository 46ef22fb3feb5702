package meetup

import (
	"time"
)

// The two ways in which a moment is written.
const (
	dayLayout  = time.DateOnly
	timeLayout = "2006-01-02T15:04"
)

// When is the time of a meetup.
type When struct {
	Begin time.Time
	// End is when it ends; zero when nobody said. Of one that takes whole days it is
	// the last day.
	End    time.Time
	AllDay bool
	// Zone is the name of the time zone; "" when nobody said, and Begin and End, which
	// are days then, are in UTC.
	Zone string
}

// When is the time of a meetup in which Check finds nothing wrong. Else it is zero.
func (m *Meetup) When() When {
	w := When{Zone: m.Zone}
	at := time.UTC
	if m.Zone != "" {
		known, ok := zone(m.Zone)
		if !ok {
			return When{}
		}
		at = known
	}
	var err error
	if w.Begin, w.AllDay, err = parse(m.Date, at); err != nil {
		return When{}
	}
	if m.End != "" {
		if w.End, _, err = parse(m.End, at); err != nil {
			return When{}
		}
	}
	return w
}

// parse reads a day, or a day with a time.
func parse(text string, at *time.Location) (moment time.Time, day bool, err error) {
	if len(text) == len(dayLayout) {
		moment, err = time.ParseInLocation(dayLayout, text, at)
		return moment, true, err
	}
	moment, err = time.ParseInLocation(timeLayout, text, at)
	return moment, false, err
}

// Last is the last day of it, or the first where there is only one.
func (w When) Last() time.Time {
	if w.End.IsZero() {
		return w.Begin
	}
	return w.End
}

// Day is when it begins, or for whole days the beginning of the first in UTC: there it
// has the date that its page says.
func (w When) Day() time.Time {
	if !w.AllDay {
		return w.Begin
	}
	return time.Date(w.Begin.Year(), w.Begin.Month(), w.Begin.Day(), 0, 0, 0, 0, time.UTC)
}

// Over is from when on it has taken place: its end, or that of its last day where it is
// not known. Days without a zone end where they end last on earth.
func (w When) Over() time.Time {
	if !w.AllDay && !w.End.IsZero() {
		return w.End
	}
	last := w.Last()
	over := time.Date(last.Year(), last.Month(), last.Day()+1, 0, 0, 0, 0, last.Location())
	if w.Zone == "" {
		over = over.Add(12 * time.Hour)
	}
	return over
}
