package meetup

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// The types of schema.org that an Event is made of.
type (
	ldEvent struct {
		Context     string    `json:"@context"`
		Type        string    `json:"@type"`
		Name        string    `json:"name"`
		Description string    `json:"description,omitempty"`
		URL         string    `json:"url,omitempty"`
		Image       string    `json:"image,omitempty"`
		StartDate   string    `json:"startDate"`
		EndDate     string    `json:"endDate,omitempty"`
		Status      string    `json:"eventStatus"`
		Attendance  string    `json:"eventAttendanceMode,omitempty"`
		Location    any       `json:"location,omitempty"` // one, or a list
		Organizer   *ldThing  `json:"organizer,omitempty"`
		Performers  []ldThing `json:"performer,omitempty"`
		Language    []string  `json:"inLanguage,omitempty"`
		Series      *ldThing  `json:"superEvent,omitempty"`
		Talks       []ldTalk  `json:"workFeatured,omitempty"`
	}
	ldThing struct {
		Type    string `json:"@type"`
		Name    string `json:"name,omitempty"`
		Address string `json:"address,omitempty"`
		URL     string `json:"url,omitempty"`
	}
	ldTalk struct {
		Type     string    `json:"@type"`
		Name     string    `json:"name"`
		Language string    `json:"inLanguage,omitempty"`
		Authors  []ldThing `json:"author,omitempty"`
	}
)

// JSON is the event as schema.org has it (https://schema.org/Event), for a script element
// of type application/ld+json: the encoder leaves nothing in it that would end one.
func (e *Event) JSON() string {
	out := ldEvent{Context: "https://schema.org", Type: "Event", Name: e.Title, Description: e.Description, URL: e.URL, Image: e.Image,
		Status: "https://schema.org/EventScheduled"}
	layout := time.DateOnly
	if !e.When.AllDay {
		layout = time.RFC3339
	}
	out.StartDate = e.When.Begin.Format(layout)
	if !e.When.End.IsZero() {
		out.EndDate = e.When.End.Format(layout)
	}
	place := ldThing{Type: "Place", Name: e.Place, Address: e.Place}
	stream := ldThing{Type: "VirtualLocation", URL: e.Online}
	const attendance = "https://schema.org/"
	switch {
	case e.Place != "" && e.Online != "":
		out.Location, out.Attendance = []ldThing{place, stream}, attendance+"MixedEventAttendanceMode"
	case e.Place != "":
		out.Location, out.Attendance = place, attendance+"OfflineEventAttendanceMode"
	case e.Online != "":
		out.Location, out.Attendance = stream, attendance+"OnlineEventAttendanceMode"
	}
	if e.Host != "" {
		out.Organizer = &ldThing{Type: "Organization", Name: e.Host}
	}
	if e.Series != "" {
		out.Series = &ldThing{Type: "EventSeries", Name: e.Series}
	}
	for _, t := range e.Talks {
		talk := ldTalk{Type: "PresentationDigitalDocument", Name: t.Title, Language: t.Language}
		for _, s := range t.Speakers {
			person := ldThing{Type: "Person", Name: s.Name, URL: s.URL}
			talk.Authors = append(talk.Authors, person)
			if !slices.Contains(out.Performers, person) {
				out.Performers = append(out.Performers, person)
			}
		}
		if t.Language != "" && !slices.Contains(out.Language, t.Language) {
			out.Language = append(out.Language, t.Language)
		}
		out.Talks = append(out.Talks, talk)
	}
	var text strings.Builder
	if err := json.NewEncoder(&text).Encode(out); err != nil {
		panic("meetup: " + err.Error()) // texts
	}
	return strings.TrimSuffix(text.String(), "\n")
}
