package pages

// Offline is the page about reading without a connection. The service worker shows
// it in place of a page that was never visited.
type Offline struct {
	Page
	Says OfflineWords
}

// OfflineWords are its texts, some of them with places for values.
type OfflineWords struct {
	Title, Description string
	Lost               string // there is no connection, or the page was opened by itself
	Retry              string
	There              string // {n} pages
	None               string
	NoScript           string
	Whole              string // heading: the book as a whole
	WholeAbout         string
	Keep               string // {mb}
	KeepUnknown        string
	Kept               string
	Failed             string // {why}
	Remove             string
	Removed            string
}

var offlineWords = map[string]OfflineWords{
	"en": {
		Title:       "Reading offline",
		Description: "Pages that you have visited can be read without a connection.",
		Lost:        "There is no connection, and this page was not visited before.",
		Retry:       "Try again",
		There:       "On this device: {n}",
		None:        "No page is on this device yet.",
		NoScript:    "Pages are kept on a device with JavaScript only.",
		Whole:       "The whole book",
		WholeAbout:  "All chapters with their demos, to be read and run without a connection. A new version replaces the old one by itself.",
		Keep:        "Keep the book on this device ({mb} MB)",
		KeepUnknown: "Keep the book on this device",
		Kept:        "The book is on this device.",
		Failed:      "Not everything could be fetched ({why}). What is there stays; try again to get the rest.",
		Remove:      "Remove what is kept",
		Removed:     "Nothing is kept on this device any more.",
	},
	"ja": {
		Title:       "オフラインで読む",
		Description: "一度開いたページは、接続がなくても読めます。",
		Lost:        "接続がなく、このページはまだ開いたことがありません。",
		Retry:       "もう一度試す",
		There:       "この端末にあるページ: {n}",
		None:        "この端末にはまだページがありません。",
		NoScript:    "ページを端末に残すには JavaScript が必要です。",
		Whole:       "本全体",
		WholeAbout:  "すべての章とデモを、接続なしで読んで動かせます。新しい版が出ると自動的に入れ替わります。",
		Keep:        "本全体をこの端末に保存する({mb} MB)",
		KeepUnknown: "本全体をこの端末に保存する",
		Kept:        "本全体がこの端末にあります。",
		Failed:      "一部を取得できませんでした({why})。取得済みの分は残っています。もう一度試すと続きから取得します。",
		Remove:      "保存したものを消す",
		Removed:     "この端末には何も残っていません。",
	},
}

// OfflineWordsOf returns them in a language, or in English.
func OfflineWordsOf(language string) OfflineWords {
	if w, ok := offlineWords[language]; ok {
		return w
	}
	return offlineWords["en"]
}
