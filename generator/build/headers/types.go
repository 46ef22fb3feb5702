package headers

import (
	"path"
	"slices"
	"strings"

	"kubewalk/generator/build/compressed"
)

// types are the media types of the files of sites, by the end of their names. Machines' own tables disagree
// about them, and lack some.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8", ".ics": "text/calendar; charset=utf-8",
	".xml": "text/xml; charset=utf-8", ".json": "application/json", ".map": "application/json",
	".webmanifest": "application/manifest+json", ".wasm": "application/wasm", ".pdf": "application/pdf",
	".epub": "application/epub+zip", compressed.Ext: compressed.Type, compressed.ZstdExt: compressed.ZstdType,
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon", ".woff2": "font/woff2",
	".mp4": "video/mp4", ".webm": "video/webm",
}

// TypeOf is the media type of a file of a site by its name; "" for one that sites seldom have.
func TypeOf(name string) string { return types[path.Ext(name)] }

// IsText tells of a media type whether its files become smaller when a server compresses them.
func IsText(mediaType string) bool {
	name, _, _ := strings.Cut(mediaType, ";")
	return strings.HasPrefix(name, "text/") ||
		slices.Contains([]string{"application/json", "application/manifest+json", "application/wasm", "image/svg+xml", "image/x-icon"}, name)
}
