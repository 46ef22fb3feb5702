package sitebuild

import (
	"encoding/json"
	"fmt"
	"html"

	"kubewalk/site/pages"
)

// oembedFile is what a system that is given the address of a demo's page asks for to put the demo into its own: https://oembed.com,
// found by the page's link. It holds whole addresses, so while the base is unknown there is none. As files take no parameters, the frame has
// one size, and shows the demo from its beginning.
const oembedFile = "oembed.json"

// The frame's size, CSS pixels: a slide's.
const oembedWidth, oembedHeight = 960, 540

type oembed struct {
	Version  string `json:"version"`
	Type     string `json:"type"`
	Title    string `json:"title"`
	Provider string `json:"provider_name"`
	Home     string `json:"provider_url"`
	Picture  string `json:"thumbnail_url,omitempty"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Wide     int    `json:"thumbnail_width,omitempty"`
	Tall     int    `json:"thumbnail_height,omitempty"`
	HTML     string `json:"html"`
}

// putOEmbed writes it for a page that holds a demo alone, and has the page say so.
func (b *build) putOEmbed(page *pages.Embed) {
	if b.site.Base == "" {
		return
	}
	page.OEmbed = page.Path + oembedFile
	answer := oembed{Version: "1.0", Type: "rich", Title: page.Title, Provider: page.BookTitle, Home: b.site.Absolute("/"),
		Width: oembedWidth, Height: oembedHeight,
		HTML: fmt.Sprintf(`<iframe src="%s" title="%s" width="%d" height="%d" allow="clipboard-write; fullscreen" style="border: 0"></iframe>`,
			html.EscapeString(b.site.Absolute(page.Path)), html.EscapeString(page.Title), oembedWidth, oembedHeight),
	}
	if c := page.Card; c != nil {
		answer.Picture, answer.Wide, answer.Tall = c.URL, c.Width, c.Height
	}
	text, _ := json.Marshal(answer) // texts and numbers
	b.tree.Put(page.OEmbed[1:], text)
}
