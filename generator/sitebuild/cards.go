package sitebuild

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kubewalk/generator/book/content"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/diskcache"
	"kubewalk/generator/render/raster"
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
func (b *build) card(book, part, title, description, svg string, large bool, lines ...string) *pages.Card {
	if b.site.Base == "" || raster.Lacks(book+part+title+description+strings.Join(lines, "")) != "" {
		return nil
	}
	style := ""
	if svg != "" {
		style = b.stillStyle
	}
	key := fmt.Sprintf("%s %q %q %q %q %t %s %s %s", cardVersion, book, part, title, description, large, svg, style, b.accent())
	if lines != nil {
		key += fmt.Sprintf(" %q", lines)
	}
	name := headers.Assets + "/card-" + output.Hash([]byte(key)) + ".png"
	b.cards.mu.Lock()
	defer b.cards.mu.Unlock()
	if b.cards.wanted == nil {
		b.cards.wanted = map[string]func() ([]byte, error){}
	}
	b.cards.wanted[name] = func() ([]byte, error) {
		card := raster.Card{Book: book, Part: part, Title: title, Description: description, Lines: lines, Large: large, Accent: b.accent()}
		if svg != "" {
			style, err := raster.NewStyle(b.stillStyle)
			if err != nil {
				return nil, err
			}
			if card.Picture, err = raster.Parse(svg, style); err != nil {
				return nil, err
			}
			if card.Picture.Lacks() != "" {
				card.Picture = nil // its words are in another script
			}
		}
		return card.PNG(), nil
	}
	return &pages.Card{URL: b.site.Absolute("/" + name), Width: raster.Width, Height: raster.Height, Alt: title + " – " + book}
}

// cardOf is the card of a chapter or a home page, with a picture of its first demo.
func (b *build) cardOf(c *content.Chapter) *pages.Card {
	svg := ""
	for _, name := range b.page(c).Document.Demos {
		if d := b.demos[name]; d != nil && svg == "" {
			svg = telling(d, c.Language, scene.Wide)
		}
	}
	var lines []string
	if v := b.page(c).meetup; v != nil {
		lines = cardLines(v)
	}
	return b.card(b.book.Site.Title[c.Language], b.book.Site.PartTitle(c.Part, c.Language), c.Title, c.Description, svg, false, lines...)
}

// writeCards draws the cards, or takes them from the disk.
func (b *build) writeCards() error {
	names := make([]string, 0, len(b.cards.wanted))
	for name := range b.cards.wanted {
		names = append(names, name)
	}
	slices.Sort(names)
	disk := diskcache.Cache{Dir: filepath.Join(b.options.Root, ".cache", "cards"), Any: true}
	drawn, errs := make([][]byte, len(names)), make([]error, len(names))
	make := func(i int) {
		if disk.Get("card", names[i], &drawn[i]) {
			return
		}
		if drawn[i], errs[i] = b.cards.wanted[names[i]](); errs[i] == nil {
			disk.Put("card", names[i], drawn[i])
		}
	}
	if b.options.Dev {
		for i, name := range names {
			b.tree.PutLater(name, func() []byte { make(i); return drawn[i] })
		}
		return nil
	}
	atOnce(len(names), make)
	for i, name := range names {
		if errs[i] != nil {
			return fmt.Errorf("card %s: %w", name, errs[i])
		}
		b.tree.Put(name, drawn[i])
	}
	return nil
}
