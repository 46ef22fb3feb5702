// Package cron reads the schedules of CronJobs, "*/5 9-17 * * mon-fri", and tells
// when they are due.
//
// It reads what upstream reads, with the library github.com/robfig/cron/v3
// (ParseStandard), and refuses the rest in the same words: five fields of minutes,
// hours, days of the month, months and days of the week; numbers, names, ranges,
// lists and steps; @yearly, @annually, @monthly, @weekly, @daily, @midnight,
// @hourly, and @every with a duration. A day has to match both of the day fields if
// one of them starts with a star, and one of them otherwise.
//
// An hour that a time zone skips has no runs, one that it repeats has them twice.
//
// The API server and the CronJob controller share it. Time zones are in zone.go.
package cron

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Schedule tells when something is due.
type Schedule interface {
	// Next is the first moment after t, in t's time zone unless the schedule
	// names one; zero if there is none within five years.
	Next(t time.Time) time.Time
}

// SpecSchedule is five sets of numbers. Bit n stands for n.
type SpecSchedule struct {
	Minute, Hour, Dom, Month, Dow uint64
	// Location is the schedule's own time zone, nil for that of the question.
	Location *time.Location
}

// starBit marks a set that was written as a star.
const starBit = 1 << 63

// ConstantDelaySchedule is "@every 5m": whole seconds, one at least.
type ConstantDelaySchedule struct{ Delay time.Duration }

// Next is Delay later, on a whole second.
func (s ConstantDelaySchedule) Next(t time.Time) time.Time {
	return t.Add(s.Delay - time.Duration(t.Nanosecond()))
}

// bounds are what a field may hold.
type bounds struct {
	min, max int
	names    []string // of min, min+1 …
}

var fields = [5]bounds{
	{min: 0, max: 59},
	{min: 0, max: 23},
	{min: 1, max: 31},
	{min: 1, max: 12, names: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{min: 0, max: 6, names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// ParseStandard reads a schedule. It may begin with TZ= or CRON_TZ= and a zone.
func ParseStandard(spec string) (Schedule, error) {
	if spec == "" {
		return nil, fmt.Errorf("empty spec string")
	}
	var location *time.Location
	if strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ=") {
		zone, rest, _ := strings.Cut(spec, " ")
		_, name, _ := strings.Cut(zone, "=")
		var err error
		if location, err = LoadLocation(name); err != nil {
			return nil, fmt.Errorf("provided bad location %s: %v", name, err)
		}
		spec = strings.TrimSpace(rest)
	}
	if strings.HasPrefix(spec, "@") {
		return parseDescriptor(spec, location)
	}
	parts := strings.Fields(spec)
	if len(parts) != len(fields) {
		return nil, fmt.Errorf("expected exactly %d fields, found %d: %s", len(fields), len(parts), parts)
	}
	var sets [len(fields)]uint64
	for i, part := range parts {
		var err error
		if sets[i], err = getField(part, fields[i]); err != nil {
			return nil, err
		}
	}
	return &SpecSchedule{sets[0], sets[1], sets[2], sets[3], sets[4], location}, nil
}

func parseDescriptor(text string, location *time.Location) (Schedule, error) {
	s := &SpecSchedule{Minute: 1, Hour: 1, Dom: all(fields[2]), Month: all(fields[3]), Dow: all(fields[4]), Location: location}
	switch text {
	case "@yearly", "@annually":
		s.Dom, s.Month = 1<<1, 1<<1
	case "@monthly":
		s.Dom = 1 << 1
	case "@weekly":
		s.Dow = 1
	case "@daily", "@midnight":
	case "@hourly":
		s.Hour = all(fields[1])
	default:
		every, ok := strings.CutPrefix(text, "@every ")
		if !ok {
			return nil, fmt.Errorf("unrecognized descriptor: %s", text)
		}
		d, err := time.ParseDuration(every)
		if err != nil {
			return nil, fmt.Errorf("failed to parse duration %s: %s", text, err)
		}
		return ConstantDelaySchedule{max(time.Second, d).Truncate(time.Second)}, nil
	}
	return s, nil
}

// getField reads a list of ranges.
func getField(text string, b bounds) (uint64, error) {
	var set uint64
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		more, err := getRange(part, b)
		if err != nil {
			return 0, err
		}
		set |= more
	}
	return set, nil
}

// getRange reads "5", "1-5", "*", each with or without "/2". "5/15" goes up to the end.
func getRange(text string, b bounds) (uint64, error) {
	limits, stepText, hasStep := strings.Cut(text, "/")
	if strings.Contains(stepText, "/") {
		return 0, fmt.Errorf("too many slashes: %s", text)
	}
	low, high, isRange := strings.Cut(limits, "-")
	if strings.Contains(high, "-") {
		return 0, fmt.Errorf("too many hyphens: %s", text)
	}
	start, end, step, extra := b.min, b.max, 1, uint64(0)
	if low == "*" || low == "?" {
		extra = starBit
	} else {
		var err error
		if start, err = parseIntOrName(low, b); err != nil {
			return 0, err
		}
		end = start
		if isRange {
			if end, err = parseIntOrName(high, b); err != nil {
				return 0, err
			}
		}
	}
	if hasStep {
		var err error
		if step, err = mustParseInt(stepText); err != nil {
			return 0, err
		}
		if !isRange {
			end = b.max
		}
		if step > 1 {
			extra = 0
		}
	}
	switch {
	case start < b.min:
		return 0, fmt.Errorf("beginning of range (%d) below minimum (%d): %s", start, b.min, text)
	case end > b.max:
		return 0, fmt.Errorf("end of range (%d) above maximum (%d): %s", end, b.max, text)
	case start > end:
		return 0, fmt.Errorf("beginning of range (%d) beyond end of range (%d): %s", start, end, text)
	case step == 0:
		return 0, fmt.Errorf("step of range should be a positive number: %s", text)
	}
	set := extra
	for i := start; i <= end; i += min(step, b.max+1) {
		set |= 1 << i
	}
	return set, nil
}

func all(b bounds) uint64 {
	set := uint64(starBit)
	for i := b.min; i <= b.max; i++ {
		set |= 1 << i
	}
	return set
}

func parseIntOrName(text string, b bounds) (int, error) {
	for i, name := range b.names {
		if strings.EqualFold(name, text) {
			return b.min + i, nil
		}
	}
	return mustParseInt(text)
}

func mustParseInt(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("failed to parse int from %s: %s", text, err)
	}
	if n < 0 {
		return 0, fmt.Errorf("negative number (%d) not allowed: %s", n, text)
	}
	return n, nil
}

// yearLimit is how far Next looks: 30 February never comes.
const yearLimit = 5

// Next looks for a month that matches, then a day in it, an hour, a minute; and
// starts over in the next month, day or hour when there is none.
func (s *SpecSchedule) Next(t time.Time) time.Time {
	asked := t.Location()
	loc := asked
	if s.Location != nil {
		loc = s.Location
	}
	t = t.In(loc).Truncate(time.Minute).Add(time.Minute)
	limit := t.Year() + yearLimit
	for t.Year() <= limit {
		switch {
		case !has(s.Month, int(t.Month())):
			t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, loc)
		case !s.dayMatches(t):
			t = nextDay(t, loc)
		case !has(s.Hour, t.Hour()):
			t = t.Add(time.Hour - time.Duration(t.Minute())*time.Minute)
		case !has(s.Minute, t.Minute()):
			rest := s.Minute &^ starBit >> (t.Minute() + 1)
			if rest == 0 {
				t = t.Add(time.Hour - time.Duration(t.Minute())*time.Minute)
			} else {
				t = t.Add(time.Duration(bits.TrailingZeros64(rest)+1) * time.Minute)
			}
		default:
			return t.In(asked)
		}
	}
	return time.Time{}
}

// nextDay is the first moment of the next day. Where the clocks skip midnight that
// is later than 0:00, and time.Date may answer with the evening before.
func nextDay(t time.Time, loc *time.Location) time.Time {
	next := time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, loc)
	for next.Day() == t.Day() && next.Month() == t.Month() {
		next = next.Add(time.Hour)
	}
	return next
}

func (s *SpecSchedule) dayMatches(t time.Time) bool {
	dom, dow := has(s.Dom, t.Day()), has(s.Dow, int(t.Weekday()))
	if (s.Dom|s.Dow)&starBit != 0 {
		return dom && dow
	}
	return dom || dow
}

func has(set uint64, n int) bool { return set&(1<<n) != 0 }
