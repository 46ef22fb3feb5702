package plain

// Words are those that stand around what is told, and in llms.txt.
type Words struct {
	Demo     string // what plays on the page
	Controls string
	Exercise string
	Question string
	Hints    string
	Answer   string
	Home     string // the book's first page
	About    string // Markdown: what llms.txt lists
}

var wordsByLanguage = map[string]Words{
	"en": {
		Demo: "Demo", Controls: "On the page you can change:", Exercise: "Exercise", Question: "Question", Hints: "Hints", Answer: "Answer",
		Home:  "About the book",
		About: "Each page is there as Markdown: add `index.md` to its address. A demo that plays on the page stands in it as a storyboard: its moments with their times, and what happened in between.",
	},
	"ja": {
		Demo: "デモ", Controls: "ページでは、次の操作ができます。", Exercise: "練習問題", Question: "問題", Hints: "ヒント", Answer: "解答", Home: "この本について",
		About: "どのページも、アドレスの後ろに `index.md` を付けると Markdown で読めます。ページで動くデモは、場面の時刻と説明、その間に起きたことを並べた文章になっています。",
	},
}

// WordsOf returns the words of a language; English ones for a language without.
func WordsOf(language string) Words {
	if w, ok := wordsByLanguage[language]; ok {
		return w
	}
	return wordsByLanguage["en"]
}
