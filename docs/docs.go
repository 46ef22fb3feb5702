// Package docs carries the manuals of authors, so that a program that was installed
// without this project has them.
package docs

import _ "embed"

// The manuals, as they are written: of a first demo, of chapters, of demos, of demos elsewhere, of hosts, and of the npm package.
var (
	//go:embed first-demo.md
	FirstDemo string
	//go:embed authoring.md
	Authoring string
	//go:embed demos.md
	Demos string
	//go:embed embedding.md
	Embedding string
	//go:embed hosting.md
	Hosting string
	//go:embed npm.md
	NPM string
)
