// Package dom asks elements of a parsed page what their tags say, and finds the element of a picture.
package dom

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Attribute is an attribute's value; "" when there is none.
func Attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// Has tells whether there is such an attribute, with a value or without.
func Has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// HasClass tells whether an element has a class.
func HasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(Attribute(n, "class")), class)
}

// SVG parses a text and returns the page that it makes, and the first <svg> in it.
func SVG(text string) (page, svg *html.Node, err error) {
	page, err = html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	for n := range page.Descendants() {
		if n.Type == html.ElementNode && n.Data == "svg" {
			return page, n, nil
		}
	}
	return nil, nil, fmt.Errorf("no <svg> in %.40q", text)
}
