package markdown

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// definitions are a term in a line of its own, and what it means below it, as in
// PHP Markdown Extra and Pandoc:
//
//	Work queue
//	: Keys that wait to be reconciled.
func definitions(*Document) goldmark.Extender { return extension.DefinitionList }
