package pages

// SearchPath is the page of the search in a language.
func SearchPath(language string) string { return "/" + language + "/search/" }

// SearchIndex is the index that it reads, by language: a compressed file, as all of them.
func SearchIndex(language string) string { return "/search/" + language + ".json.gz" }

// Searching is the page of the search.
type Searching struct{ Page }
