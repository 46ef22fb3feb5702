package scaffold

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/schema"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/problem"
)

// meetupText is a meetup's outline, as chapterText is a chapter's.
var meetupText = map[string]string{
	"en": "---\ntitle: %[1]s\ndescription: What the talks at %[1]s were about.\norder: %[2]d\n%[3]s---\n\n## The first talk {#first-talk}\n\nWrite here what it was about.\n",
	"ja": "---\ntitle: %[1]s\ndescription: %[1]s の発表の内容。\norder: %[2]d\n%[3]s---\n\n## 最初の発表 {#first-talk}\n\nここに発表の内容を書きます。\n",
}

// meetupMatter is a programme that a build takes as it is.
const meetupMatter = `meetup: # translations take what they leave out from here
  date: %s # or with the time of day, as in %[1]sT19:00, and end: and zone: Asia/Tokyo
  place: A house, a street, a town # one text for all languages, or {en: …, ja: …}
  host: Who invites
  links:
    - {title: Invitation, url: "https://example.org/"}
  talks:
    - title: The first talk
      speakers: [A speaker, {name: Another one, url: "https://example.org/"}]
      language: %s
      section: "#first-talk" # of this page
      slides: https://example.org/slides
`

// Meetup writes the outline of a chapter about a meetup, with its programme, on a day: in
// the part that is named in front of a slash, or in that of the other meetups. A book that
// has no place for them gets a part.
func Meetup(book *content.Book, key string, day time.Time) ([]string, error) {
	var made []string
	if !strings.Contains(key, "/") {
		if !name.MatchString(key) {
			return nil, fmt.Errorf("meetup name %q cannot be part of an address (lower-case letters, digits and single hyphens)", key)
		}
		part, there := partOfMeetups(book)
		if !there {
			file, err := addPart(book, content.PartInfo{Name: part}, meetupsTitle, "meetup")
			if err != nil {
				return nil, err
			}
			made = append(made, file)
		}
		key = part + "/" + key
	}
	language := book.Site.Languages[0].Code
	matter := fmt.Sprintf(meetupMatter, day.Format(time.DateOnly), language)
	for _, c := range book.In(language) {
		if c.Key() != key && !c.Draft && c.Original == nil {
			matter += fmt.Sprintf("      chapter: %s.md # of this book, about what the talk was about\n", c.Key())
			break
		}
	}
	if files, _ := filepath.Glob(filepath.Join(book.Dir, demos.Folder, "*.yaml")); len(files) > 0 {
		matter += fmt.Sprintf("      demo: %s\n", strings.TrimSuffix(filepath.Base(files[0]), ".yaml"))
	}
	files, err := begin(book, key, meetupText, matter)
	return append(made, files...), err
}

// partOfMeetups is the part that is called after them, or the first that has some; there is
// false when there is none yet.
func partOfMeetups(book *content.Book) (part string, there bool) {
	const usual = "meetups"
	if slices.ContainsFunc(book.Site.Parts, func(p content.PartInfo) bool { return p.Name == usual }) {
		return usual, true
	}
	for _, c := range book.Chapters {
		if book.MeetupOf(c) != nil {
			return c.Part, true
		}
	}
	return usual, false
}

// meetupsTitle is the part's title at first.
var meetupsTitle = map[string]string{"en": "Meetups", "ja": "ミートアップ"}

// addPart lists one more part in site.yaml, as the last one, and in the book. It is for
// what `kubewalk new` calls by that name.
func addPart(book *content.Book, part content.PartInfo, titled map[string]string, what string) (string, error) {
	file := filepath.ToSlash(filepath.Join(book.Dir, "site.yaml"))
	before, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var titles []string
	title := content.Text{}
	for _, code := range book.Site.Codes() {
		title[code] = cmp.Or(titled[code], titled["en"])
		titles = append(titles, code+": "+title[code])
	}
	more := ""
	if part.Posts {
		more = ", posts: true"
	}
	line := fmt.Sprintf("- {name: %s, title: {%s}%s}", part.Name, strings.Join(titles, ", "), more)
	text := withEntry(before, line)
	var site content.Site
	reread := (&schema.Document{File: file, Text: text}).Decode(&site)
	if reread != nil || len(site.Parts) != len(book.Site.Parts)+1 || site.Parts[len(site.Parts)-1].Name != part.Name {
		var names []string
		for _, p := range book.Site.Parts {
			names = append(names, p.Name)
		}
		cure := fmt.Sprintf("add %s to its parts", line)
		if !part.Posts {
			cure += fmt.Sprintf("; or say in which one it is to be, as in `kubewalk new %s %s/NAME`", what, names[len(names)-1])
		}
		return "", problem.Problem{File: file, Message: fmt.Sprintf("the book has no part with %ss, and no part called %s", what, part.Name), Cure: cure}
	}
	part.Title = title
	book.Site.Parts = append(book.Site.Parts, part)
	return file, os.WriteFile(file, text, 0o644)
}

// withEntry is the text of site.yaml with one more line at the end of its parts.
func withEntry(text []byte, line string) []byte {
	var out bytes.Buffer
	inside, indent, at := false, "", -1
	for each := range bytes.Lines(text) {
		trimmed := strings.TrimSpace(string(each))
		top := trimmed != "" && !strings.HasPrefix(trimmed, "#") && each[0] != ' ' && each[0] != '-'
		if inside && strings.HasPrefix(trimmed, "-") && indent == "" {
			indent = string(each[:bytes.IndexByte(each, '-')]) + "-"
		}
		if top {
			inside = trimmed == "parts:"
		}
		if inside && trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			at = out.Len() + len(each)
		}
		out.Write(each)
	}
	if at < 0 || indent == "" {
		return text
	}
	if at > 0 && out.Bytes()[at-1] != '\n' {
		line = "\n" + strings.TrimSuffix(indent, "-") + line
	} else {
		line = strings.TrimSuffix(indent, "-") + line
	}
	return slices.Concat(out.Bytes()[:at], []byte(line+"\n"), out.Bytes()[at:])
}
