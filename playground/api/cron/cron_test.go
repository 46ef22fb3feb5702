package cron

import (
	"math/rand"
	"strings"
	"testing"
	"time"
)

func TestParseStandardErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                "empty spec string",
		"* * * *":         "expected exactly 5 fields, found 4: [* * * *]",
		"* * * * * *":     "expected exactly 5 fields, found 6: [* * * * * *]",
		"60 * * * *":      "end of range (60) above maximum (59): 60",
		"* 24 * * *":      "end of range (24) above maximum (23): 24",
		"* * 0 * *":       "beginning of range (0) below minimum (1): 0",
		"* * * 13 *":      "end of range (13) above maximum (12): 13",
		"* * * * 7":       "end of range (7) above maximum (6): 7",
		"5-3 * * * *":     "beginning of range (5) beyond end of range (3): 5-3",
		"*/0 * * * *":     "step of range should be a positive number: */0",
		"1-2-3 * * * *":   "too many hyphens: 1-2-3",
		"1/2/3 * * * *":   "too many slashes: 1/2/3",
		"x * * * *":       `failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax`,
		"* * * foo *":     `failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax`,
		"@often":          "unrecognized descriptor: @often",
		"@every x":        `failed to parse duration @every x: time: invalid duration "x"`,
		"TZ=Mars * * * *": "provided bad location Mars: unknown time zone Mars",
	} {
		if _, err := ParseStandard(spec); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", spec, err, want)
		}
	}
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v.UTC()
}

func TestNext(t *testing.T) {
	for _, c := range []struct{ spec, after, want string }{
		{"* * * * *", "2026-01-15T09:00:00Z", "2026-01-15T09:01:00Z"},
		{"* * * * *", "2026-01-15T09:00:59Z", "2026-01-15T09:01:00Z"},
		{"*/15 * * * *", "2026-01-15T09:50:00Z", "2026-01-15T10:00:00Z"},
		{"5/15 * * * *", "2026-01-15T09:50:00Z", "2026-01-15T10:05:00Z"},
		{"0 9-17/4 * * *", "2026-01-15T13:00:00Z", "2026-01-15T17:00:00Z"},
		{"30 8 * * mon-FRI", "2026-01-16T09:00:00Z", "2026-01-19T08:30:00Z"}, // from Friday to Monday
		{"0 0 13 * 5", "2026-01-15T09:00:00Z", "2026-01-16T00:00:00Z"},       // the 13th, or a Friday
		{"0 0 13 * *", "2026-01-15T09:00:00Z", "2026-02-13T00:00:00Z"},
		{"0 0 */2 * 5", "2026-01-15T09:00:00Z", "2026-01-16T00:00:00Z"}, // a step of two is no star
		{"0 0 29 2 *", "2026-01-15T09:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 30 2 *", "2026-01-15T09:00:00Z", ""},
		{"0 0 31 dec ?", "2026-12-31T00:00:00Z", "2027-12-31T00:00:00Z"},
		{"@hourly", "2026-01-15T09:00:00Z", "2026-01-15T10:00:00Z"},
		{"@daily", "2026-01-31T09:00:00Z", "2026-02-01T00:00:00Z"},
		{"@midnight", "2026-01-31T09:00:00Z", "2026-02-01T00:00:00Z"},
		{"@weekly", "2026-01-15T09:00:00Z", "2026-01-18T00:00:00Z"},
		{"@monthly", "2026-01-15T09:00:00Z", "2026-02-01T00:00:00Z"},
		{"@yearly", "2026-01-15T09:00:00Z", "2027-01-01T00:00:00Z"},
		{"@every 90s", "2026-01-15T09:00:00Z", "2026-01-15T09:01:30Z"},
		{"@every 1ms", "2026-01-15T09:00:00Z", "2026-01-15T09:00:01Z"},
		{"CRON_TZ=Asia/Tokyo 0 9 * * *", "2026-01-15T01:00:00Z", "2026-01-16T00:00:00Z"},
		{"TZ=Europe/Berlin 30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"},   // 2:30 does not come on the 29th
		{"TZ=America/New_York 0 9 * * *", "2026-07-15T00:00:00Z", "2026-07-15T13:00:00Z"}, // summer time
		{"TZ=America/New_York 0 9 * * *", "2026-01-15T00:00:00Z", "2026-01-15T14:00:00Z"}, // winter time
		{"TZ=Australia/Sydney 0 9 * * *", "2026-01-15T00:00:00Z", "2026-01-15T22:00:00Z"}, // summer time
		{"TZ=Asia/Kolkata 0 0 * * *", "2026-01-15T00:00:00Z", "2026-01-15T18:30:00Z"},     // half an hour
		{"TZ=Europe/Berlin 30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"},   // 2:30 comes twice
	} {
		s, err := ParseStandard(c.spec)
		if err != nil {
			t.Errorf("%q: %v", c.spec, err)
			continue
		}
		got := s.Next(at(t, c.after))
		if c.want == "" && got.IsZero() {
			continue
		}
		if c.want == "" || !got.Equal(at(t, c.want)) {
			t.Errorf("%q after %s: %s, want %s", c.spec, c.after, got.Format(time.RFC3339), c.want)
		}
	}
}

// TestNextAgainstBruteForce compares with a search minute by minute, which asks
// each field by itself.
func TestNextAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	berlin, err := LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		spec := strings.Join([]string{
			pick("*", "0", "*/7", "3-50/9", "59", "1,2,30-40", "17/20"),
			pick("*", "0", "*/5", "9-17", "23", "2,3"),
			pick("*", "1", "*/3", "28-31", "13"),
			pick("*", "feb", "*/2", "3,10"),
			pick("*", "0", "mon-fri", "*/2", "6"),
		}, " ")
		s, err := ParseStandard(spec)
		if err != nil {
			t.Fatalf("%q: %v", spec, err)
		}
		loc := time.UTC
		if i%2 == 1 {
			loc = berlin
		}
		from := time.Date(2026, time.Month(1+r.Intn(12)), 1+r.Intn(28), r.Intn(24), r.Intn(60), r.Intn(60), 0, loc)
		end := from.AddDate(0, 0, 20)
		want := time.Time{}
		spare := s.(*SpecSchedule)
		for m := from.Truncate(time.Minute).Add(time.Minute); m.Before(end); m = m.Add(time.Minute) {
			if in(spare.Minute, m.Minute()) && in(spare.Hour, m.Hour()) && in(spare.Month, int(m.Month())) && day(spec, m) {
				want = m
				break
			}
		}
		got := s.Next(from)
		if want.IsZero() {
			if got.Before(end) && !got.IsZero() {
				t.Errorf("%q after %v: %v, want none before %v", spec, from, got, end)
			}
		} else if !got.Equal(want) {
			t.Errorf("%q after %v: %v, want %v", spec, from, got, want)
		}
	}
}

func in(set uint64, n int) bool { return set>>n&1 == 1 }

// day asks the two day fields as crontab(5) says, from the text.
func day(spec string, m time.Time) bool {
	f := strings.Fields(spec)
	s, _ := ParseStandard(spec)
	dom, dow := in(s.(*SpecSchedule).Dom, m.Day()), in(s.(*SpecSchedule).Dow, int(m.Weekday()))
	if f[2] == "*" || f[4] == "*" {
		return dom && dow
	}
	return dom || dow
}

func TestLoadLocation(t *testing.T) {
	for name := range zones {
		loc, err := LoadLocation(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, winter := time.Date(2026, 1, 1, 0, 0, 0, 0, loc).Zone(); name != "UTC" && !strings.Contains(name, "GMT") && !strings.Contains(name, "UTC") &&
			winter == 0 &&
			name != "Europe/London" && name != "Europe/Dublin" && name != "Europe/Lisbon" {
			t.Errorf("%s has no offset", name)
		}
	}
	for name, want := range map[string]string{"Nowhere": "unknown time zone Nowhere", "../x": "time: invalid location name"} {
		if _, err := LoadLocation(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseStandard(f *testing.F) {
	for _, s := range []string{"* * * * *", "*/5 1-3 1,2 jan mon", "@every 1h", "TZ=UTC 0 0 * * *", "CRON_TZ=", "@", ",", "*/99999999999 * * * *",
		"1-9223372036854775807/2 * * * *"} {
		f.Add(s)
	}
	from := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, spec string) {
		s, err := ParseStandard(spec)
		if err != nil {
			return
		}
		if next := s.Next(from); !next.IsZero() && !next.After(from) {
			t.Errorf("%q: next after %v is %v", spec, from, next)
		}
	})
}
