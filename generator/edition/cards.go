package edition

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kubewalk/generator/content"
	"kubewalk/generator/headers"
	"kubewalk/generator/output"
	"kubewalk/generator/poster"
	"kubewalk/generator/shelf"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// cards are the pictures that messengers show beside a link, by their path in the
// tree. A path holds a hash of all that is drawn, so a page can name its card
// before anybody drew it, and a card that was drawn once is taken from the disk.
type cards struct {
	mu     sync.Mutex
	wanted map[string]func() ([]byte, error)
}

// cardVersion changes when the drawing does.
const cardVersion = "2"

// card is the card of a page, with lines in the place of its description if there are any; nil without an address to give it, and for a page
// whose words the font cannot draw.
func (e *edition) card(book, part, title, description, svg string, large bool, lines ...string) *pages.Card {
	if e.site.Base == "" || poster.Lacks(book+part+title+description+strings.Join(lines, "")) != "" {
		return nil
	}
	style := ""
	if svg != "" {
		style = e.stillStyle
	}
	key := fmt.Sprintf("%s %q %q %q %q %t %s %s %s", cardVersion, book, part, title, description, large, svg, style, e.accent())
	if lines != nil {
		key += fmt.Sprintf(" %q", lines)
	}
	name := headers.Assets + "/card-" + output.Hash([]byte(key)) + ".png"
	e.cards.mu.Lock()
	defer e.cards.mu.Unlock()
	if e.cards.wanted == nil {
		e.cards.wanted = map[string]func() ([]byte, error){}
	}
	e.cards.wanted[name] = func() ([]byte, error) {
		card := poster.Card{Book: book, Part: part, Title: title, Description: description, Lines: lines, Large: large, Accent: e.accent()}
		if svg != "" {
			style, err := poster.NewStyle(e.stillStyle)
			if err != nil {
				return nil, err
			}
			if card.Picture, err = poster.Parse(svg, style); err != nil {
				return nil, err
			}
			if poster.Lacks(card.Picture.Words()) != "" {
				card.Picture = nil // its words are in another script
			}
		}
		return card.PNG(), nil
	}
	return &pages.Card{URL: e.site.Absolute("/" + name), Width: poster.Width, Height: poster.Height, Alt: title + " – " + book}
}

// cardOf is the card of a chapter or a home page, with a picture of its first demo.
func (e *edition) cardOf(c *content.Chapter) *pages.Card {
	svg := ""
	for _, name := range e.page(c).Document.Demos {
		if d := e.demos[name]; d != nil && svg == "" {
			svg = telling(d, c.Language, scene.Wide)
		}
	}
	var lines []string
	if v := e.page(c).meetup; v != nil {
		lines = cardLines(v)
	}
	return e.card(e.book.Site.Title[c.Language], e.part(c).Title, c.Title, c.Description, svg, false, lines...)
}

// writeCards draws the cards, or takes them from the disk.
func (e *edition) writeCards() error {
	names := make([]string, 0, len(e.cards.wanted))
	for name := range e.cards.wanted {
		names = append(names, name)
	}
	slices.Sort(names)
	kept := shelf.Shelf{Dir: filepath.Join(e.options.Root, ".cache", "cards"), Any: true}
	drawn, errs := make([][]byte, len(names)), make([]error, len(names))
	make := func(i int) {
		if kept.Get("card", names[i], &drawn[i]) {
			return
		}
		if drawn[i], errs[i] = e.cards.wanted[names[i]](); errs[i] == nil {
			kept.Put("card", names[i], drawn[i])
		}
	}
	if e.options.Dev {
		for i, name := range names {
			e.tree.PutLater(name, func() []byte { make(i); return drawn[i] })
		}
		return nil
	}
	atOnce(len(names), make)
	for i, name := range names {
		if errs[i] != nil {
			return fmt.Errorf("card %s: %w", name, errs[i])
		}
		e.tree.Put(name, drawn[i])
	}
	return nil
}
