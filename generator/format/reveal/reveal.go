// Package reveal is the deck of talks: reveal.js (https://revealjs.com, MIT), as it is published. It is in the program, so
// that a talk is written where there is neither npm nor a network.
package reveal

import _ "embed"

// Version is that of the npm package reveal.js; the files are those of its folder dist. A test of the browser compares them
// with the installed package (site/tests/talk.test.mjs).
const Version = "6.0.2"

// Script is dist/reveal.js, which sets the global Reveal.
//
//go:embed reveal.min.js
var Script []byte

// Style is dist/reveal.css.
//
//go:embed reveal.min.css
var Style []byte

// Notes is dist/plugin/notes.js, the speaker view, which contains marked.
//
//go:embed notes.min.js
var Notes []byte

// License is that of reveal.js, and MarkedLicense that of marked. Both have to go with the files.
var (
	//go:embed reveal.LICENSE
	License []byte
	//go:embed marked.LICENSE
	MarkedLicense []byte
)
