package pages

// Book is a language's whole book on one page, which is made for paper.
type Book struct {
	Page
	Edition string // what it is of: a date, a release; "" when there is nothing to say
	Address string // of the book on the web; "" when unknown
	Opening string // the home page's text, HTML
	Parts   []BookPart
}

// BookPart is a part with its chapters.
type BookPart struct {
	Anchor   string
	Title    string
	Chapters []BookChapter
	Parts    []BookPart // within it; their chapters are a level lower
}

// BookChapter is a chapter. Its headings begin at level 4: above are the book, the
// part and the chapter.
type BookChapter struct {
	Anchor      string
	Title       string
	Description string
	HTML        string
}
