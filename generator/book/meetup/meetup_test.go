package meetup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

// matter is front matter with nothing but a meetup.
type matter struct {
	Meetup *Meetup `yaml:"meetup"`
}

// read holds a meetup against its form, and then against what Check says.
func read(text string, complete bool) (*Meetup, error) {
	var into matter
	d := &schema.Document{File: "m.md", Text: []byte("meetup:\n  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n")}
	var problems problem.List
	problems.AddError(d.Decode(&into))
	if into.Meetup != nil && problems.Len() == 0 {
		into.Meetup.Check([]string{"en", "ja"}, complete, func(path, message, cure string) {
			problems.Add(d.At(strings.TrimSuffix("meetup."+path, "."), message, cure))
		})
	}
	return into.Meetup, problems.Err()
}

const whole = `
series: Kubernetes Meetup Tokyo
number: 23
date: 2019-09-27T19:00
end: 2019-09-27T21:30
zone: Asia/Tokyo
place: {en: "Shibuya, Tokyo", ja: 渋谷}
host: CyberAgent
online: https://example.org/live
links: [{title: Invitation, url: "https://example.org/invitation"}]
talks:
  - title: {ja: コントローラー}
    speakers: [A, {name: {en: B, ja: ビー}, url: "https://example.org/b"}]
    language: ja
    section: "#controller"
    slides: https://example.org/slides
    video: https://example.org/video
    chapter: loop/replicaset.md#anchor
    demo: replicaset-scale
  - title: Second
`

func TestWhatIsRightIsRead(t *testing.T) {
	m, err := read(whole, true)
	if err != nil {
		t.Fatal(err)
	}
	w := m.When()
	if w.AllDay || w.Begin.UTC().Format(time.RFC3339) != "2019-09-27T10:00:00Z" || w.End.Sub(w.Begin) != 150*time.Minute || !w.Over().Equal(w.End) {
		t.Errorf("when: %+v", w)
	}
	if s := m.Talks[0].Speakers; len(s) != 2 || s[0].Name[""] != "A" || s[1].Name["ja"] != "ビー" || s[1].URL == "" {
		t.Errorf("speakers: %+v", s)
	}
	for _, c := range []struct{ language, text, of string }{{"en", "コントローラー", "ja"}, {"ja", "コントローラー", ""}} {
		if text, of := m.Talks[0].Title.In(c.language); text != c.text || of != c.of {
			t.Errorf("title in %s: %q, %q", c.language, text, of)
		}
	}
	if m.Talks[1].Title[""] != "Second" {
		t.Errorf("%+v", m.Talks[1])
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"host: A":                                                                    "m.md:2:3: date of the meetup is missing (add date: 2026-01-31",
		"date: 27.9.2019":                                                            `m.md:2:9: date of meetup cannot be "27.9.2019" (write a day as 2026-01-31, or with the time of day as 2026-01-31T19:00)`,
		"date: 2019-02-29":                                                           `m.md:2:9: date "2019-02-29" is not in the calendar (check month, day and time)`,
		"date: 2019-09-27T25:00\nzone: UTC":                                          `m.md:2:9: date "2019-09-27T25:00" is not in the calendar`,
		"date: 2019-09-27T19:00":                                                     `m.md:2:9: date "2019-09-27T19:00" has a time of day and no time zone (add zone: Asia/Tokyo, or leave the time out)`,
		"date: 2019-09-27\nzone: Asia/Tokio":                                         `m.md:3:9: time zone "Asia/Tokio" is unknown (did you mean "Asia/Tokyo"?)`,
		"date: 2019-09-27\nzone: Tokyo":                                              `(did you mean "Asia/Tokyo"?)`,
		"date: 2019-09-27\nzone: asia/tokyo":                                         `time zone "asia/tokyo" is unknown (did you mean "Asia/Tokyo"?)`,
		"date: 2019-09-27\nzone: ../etc":                                             `time zone "../etc" is unknown (write its IANA name`,
		"date: 2019-09-27\nend: 2019-09-26":                                          `m.md:3:8: end "2019-09-26" is before the beginning, "2019-09-27"`,
		"date: 2019-09-27\nend: 2019-09-31":                                          `m.md:3:8: end "2019-09-31" is not in the calendar`,
		"date: 2019-09-27\nend: 2019-09-27T21:00\nzone: UTC":                         `m.md:3:8: end "2019-09-27T21:00" is not written like date (write both as days`,
		"date: 2019-09-27T19:00\nend: 2019-09-27T19:00\nzone: UTC":                   "is the time at which it begins",
		"date: 2024-03-31T02:30\nzone: Europe/Berlin":                                `m.md:2:9: date "2024-03-31T02:30" is a time that clocks skip in Europe/Berlin (they go forward then; did you mean "2024-03-31T03:30"?)`,
		"date: 2019-09-27\nnumber: 0":                                                "m.md:3:11: number of meetup has to be 1 or more, and is 0",
		"date: 2019-09-27\nonline: example.org":                                      `m.md:3:11: online of meetup cannot be "example.org" (write an address that begins with https://)`,
		"date: 2019-09-27\nonline: https://:80/":                                     `"https://:80/" is not an address`,
		"date: 2019-09-27\nonline: javascript:alert(1)":                              "write an address that begins with https://",
		"date: 2019-09-27\nplace: {fr: Paris}":                                       `m.md:3:15: "fr" is not a language of the book (known: en, ja)`,
		"date: 2019-09-27\ntalks:\n- speakers: [A]":                                  "m.md:4:5: title is missing (add title: …",
		"date: 2019-09-27\ntalks:\n- title: \"\"":                                    "m.md:4:12: title of talks[0] of meetup is empty",
		"date: 2019-09-27\ntalks:\n- title: A\n  speakers: [{url: \"https://a.b\"}]": "name is missing",
		"date: 2019-09-27\ntalks:\n- title: A\n  speakers: [\" \"]":                  "m.md:5:16: speakers[0] of talks[0] of meetup is empty (write a text)",
		"date: 2019-09-27\ntalks:\n- title: A\n  speakers: [[A]]":                    "has to be text, or keys and values, and is a list",
		"date: 2019-09-27\ntalks:\n- title: A\n  language: english":                  `m.md:5:15: language "english" is unknown (write it in the form of BCP 47: en, ja, pt-BR)`,
		"date: 2019-09-27\ntalks:\n- title: A\n  section: x":                         "write the anchor of a heading of this page, in quotes",
		"date: 2019-09-27\ntalks:\n- title: A\n  slide: https://a.b":                 `m.md:5:5: unknown key "slide" of talks[0] of meetup (did you mean "slides"?)`,
		"date: 2019-09-27\nlinks: [{title: A}]":                                      "url is missing",
	} {
		if _, err := read(text, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestTranslations take what they leave out from the original, and must not contradict it.
func TestTranslations(t *testing.T) {
	original, err := read(whole, true)
	if err != nil {
		t.Fatal(err)
	}
	var none *Meetup
	if none.Over(original) != original {
		t.Error("a translation that says nothing is not the original")
	}
	own, err := read("place: 渋谷\ntalks:\n- title: 一\n- title: 二\n  slides: https://example.org/ja", false)
	if err != nil {
		t.Fatal(err)
	}
	own.Differs(original, "en.md", func(path, message, cure string) { t.Errorf("%s: %s", path, message) })
	got := own.Over(original)
	if got.Date != original.Date || got.Place[""] != "渋谷" || got.Talks[1].Title[""] != "二" || got.Talks[1].Slides != "https://example.org/ja" ||
		got.Talks[0].Demo != "replicaset-scale" || len(got.Talks[0].Speakers) != 2 || original.Talks[1].Slides != "" {
		t.Errorf("%+v", got)
	}
	for text, want := range map[string]string{
		"date: 2019-09-28":    `date "2019-09-28" differs from "2019-09-27T19:00" in en.md`,
		"number: 24":          `number "24" differs from "23"`,
		"talks: [{title: A}]": "1 talks are not the 2 of en.md",
		"zone: Asia/Seoul":    "zone",
		"talks:\n- title: A\n  demo: other\n- title: B":     `talks[0].demo: demo "other" differs from "replicaset-scale"`,
		"talks:\n- title: A\n- title: B\n  chapter: a/b.md": `talks[1].chapter: chapter "a/b.md" is not in en.md`,
	} {
		own, err := read(text, false)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		own.Differs(original, "en.md", func(path, message, cure string) { said += path + ": " + message + "\n" })
		if !strings.Contains(said, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", text, said, want)
		}
	}
}

// TestZonesAreTheProgramsOwn: those of the machine would be others on another machine.
func TestZonesAreTheProgramsOwn(t *testing.T) {
	t.Setenv("ZONEINFO", t.TempDir())
	if n := len(zoneNames()); n < 500 {
		t.Errorf("%d zones; write them with go run ./generator/book/meetup/gen", n)
	}
	for _, name := range zoneNames() {
		if _, ok := zone(name); !ok {
			t.Errorf("zone %s cannot be read", name)
		}
	}
	for name, want := range map[string]string{"Asia/Tokyo": "+0900", "America/New_York": "-0400", "UTC": "+0000"} {
		at, ok := zone(name)
		if !ok || time.Date(2019, 9, 27, 0, 0, 0, 0, at).Format("-0700") != want {
			t.Errorf("%s: %v", name, at)
		}
	}
	for _, name := range []string{"", "Local", "Asia", "Asia/", "../x"} {
		if _, ok := zone(name); ok {
			t.Errorf("%q is a zone", name)
		}
	}
}

func TestWhenItIsOver(t *testing.T) {
	for text, want := range map[string]string{
		"date: 2019-09-27":                             "2019-09-28T12:00:00Z", // on the last coast
		"date: 2019-09-27\nzone: Asia/Tokyo":           "2019-09-27T15:00:00Z",
		"date: 2019-09-27\nend: 2019-09-28\nzone: UTC": "2019-09-29T00:00:00Z",
		"date: 2019-09-27T19:00\nzone: Asia/Tokyo":     "2019-09-27T15:00:00Z",
		"date: 2019-10-27T01:00\nzone: Europe/Berlin":  "2019-10-27T23:00:00Z", // a day of 25 hours
	} {
		m, err := read(text, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.When().Over().UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s: over at %s, not %s", text, got, want)
		}
	}
}

func event(t *testing.T, text string) Event {
	t.Helper()
	m, err := read(text, true)
	if err != nil {
		t.Fatal(err)
	}
	return Event{UID: "meetups/x@example.org", Language: "ja", Title: "第 23 回; a, b \\ c", Description: "一行\r\n二行\x01", URL: "https://example.org/ja/x/",
		Stamp: time.Date(2026, 5, 4, 3, 2, 1, 0, time.FixedZone("", 9*3600)), When: m.When(), Place: "渋谷, 東京", Online: "https://example.org/live", Host: "H",
		Series: "S",
		Talks:  []EventTalk{{"</script><b>", []EventSpeaker{{"A", ""}, {"B", "https://example.org/b"}}, "ja"}, {"T", nil, ""}}}
}

func TestCalendar(t *testing.T) {
	text := string(Calendar("", []Event{event(t, whole)}))
	unfolded := strings.ReplaceAll(text, "\r\n ", "")
	for _, want := range []string{
		"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:",
		"\r\nUID:meetups/x@example.org\r\nDTSTAMP:20260503T180201Z\r\nDTSTART:20190927T100000Z\r\nDTEND:20190927T123000Z\r\n",
		"\r\nSUMMARY;LANGUAGE=ja:第 23 回\\; a\\, b \\\\ c\r\n", "\r\nDESCRIPTION;LANGUAGE=ja:一行\\n二行\\n</script><b> – A\\, B\\nT\r\n",
		"\r\nLOCATION;LANGUAGE=ja:渋谷\\, 東京\r\n",
		"\r\nURL:https://example.org/ja/x/\r\n", "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
	} {
		if !strings.Contains(unfolded, want) {
			t.Errorf("lacks %q:\n%s", want, unfolded)
		}
	}
	if strings.Contains(text, "X-WR-CALNAME") {
		t.Error("a single meetup has a calendar of its own")
	}
	for _, p := range InvalidCalendar([]byte(text)) {
		t.Error(p)
	}
	days := string(Calendar("本, 全部", []Event{event(t, "date: 2019-12-31\nend: 2020-01-01\nzone: Asia/Tokyo"), event(t, "date: 2020-02-28")}))
	for _, want := range []string{"\r\nX-WR-CALNAME:本\\, 全部\r\n", "\r\nDTSTART;VALUE=DATE:20191231\r\nDTEND;VALUE=DATE:20200102\r\n",
		"\r\nDTSTART;VALUE=DATE:20200228\r\nDTEND;VALUE=DATE:20200229\r\n"} {
		if !strings.Contains(days, want) {
			t.Errorf("lacks %q:\n%s", want, days)
		}
	}
}

// InvalidCalendar is what RFC 5545 finds wrong with the lines of a file.
func InvalidCalendar(data []byte) (problems []string) {
	if !utf8.Valid(data) {
		problems = append(problems, "not UTF-8")
	}
	if !bytes.HasSuffix(data, []byte("\r\n")) {
		problems = append(problems, "the last line has no end")
	}
	var open []string
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\r\n"), "\r\n") {
		switch {
		case len(line) > 75:
			problems = append(problems, fmt.Sprintf("line %d has %d octets", n+1, len(line)))
		case strings.ContainsAny(line, "\r\n"):
			problems = append(problems, fmt.Sprintf("line %d holds a line end", n+1))
		case !utf8.ValidString(line):
			problems = append(problems, fmt.Sprintf("line %d cuts a character", n+1))
		}
		if name, ok := strings.CutPrefix(line, "BEGIN:"); ok {
			open = append(open, name)
		}
		if name, ok := strings.CutPrefix(line, "END:"); ok {
			if len(open) == 0 || open[len(open)-1] != name {
				problems = append(problems, "END:"+name+" ends nothing")
				continue
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		problems = append(problems, fmt.Sprintf("%v is not closed", open))
	}
	return problems
}

// FuzzText: whatever somebody calls a meetup, a calendar reads that, and no line of its own.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a", "a;b,c\\n\n\r\nEND:VEVENT", strings.Repeat("渋谷", 60), "\x00\x7f\t", `\\;`, strings.Repeat("a", 75)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // YAML holds none
		}
		e := Event{UID: "u", Language: "en", Title: text, When: When{AllDay: true, Begin: time.Unix(0, 0).UTC()}}
		out := Calendar("", []Event{e})
		for _, p := range InvalidCalendar(out) {
			t.Errorf("%q: %s", text, p)
		}
		_, rest, _ := strings.Cut(strings.ReplaceAll(string(out), "\r\n ", ""), "\r\nSUMMARY;LANGUAGE=en:")
		line, _, _ := strings.Cut(rest, "\r\n")
		got := strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n").Replace(line)
		want := strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
				return -1
			}
			return r
		}, strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
		if got != want && text != "" {
			t.Errorf("%q is read as %q", text, got)
		}
	})
}

func TestEventOfSchemaOrg(t *testing.T) {
	e := event(t, whole)
	text := e.JSON()
	if strings.ContainsAny(text, "<>\n") {
		t.Errorf("it would not stand in a page: %s", text)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"@type": "Event", "startDate": "2019-09-27T19:00:00+09:00", "endDate": "2019-09-27T21:30:00+09:00", "eventStatus": "https://schema.org/EventScheduled",
		"eventAttendanceMode": "https://schema.org/MixedEventAttendanceMode", "organizer": "map[@type:Organization name:H]", "inLanguage": "[ja]",
		"performer": "[map[@type:Person name:A] map[@type:Person name:B url:https://example.org/b]]", "superEvent": "map[@type:EventSeries name:S]",
		"location": "[map[@type:Place address:渋谷, 東京 name:渋谷, 東京] map[@type:VirtualLocation url:https://example.org/live]]",
	} {
		if fmt.Sprint(got[key]) != want {
			t.Errorf("%s is %v, not %s", key, got[key], want)
		}
	}
	e = Event{Title: "T", When: event(t, "date: 2019-09-27").When}
	if text := e.JSON(); text != `{"@context":"https://schema.org","@type":"Event","name":"T","startDate":"2019-09-27","eventStatus":"https://schema.org/EventScheduled"}` {
		t.Errorf("what nobody said is in it: %s", text)
	}
}
