package pages

// Words are the words of the pages themselves.
type Words struct {
	Skip        string
	Contents    string // the book's navigation
	AllParts    string // of a book with so many that pages do not name them all
	StartHere   string // before the first chapter's title, on the home page
	OnThisPage  string
	Languages   string
	Theme       string
	Light       string // the theme
	Dark        string
	System      string // the theme that the reader's system asks for
	Close       string // the contents, where they lie over the page
	Crumbs      string // where in the book the page is
	Minutes     string // that reading takes: a format
	Changed     string // before the date of the last change
	Date        string // layout of package time
	Edit        string
	Copied      string // the address of a heading
	Offline     string // to the page about reading without a connection
	Recording   string // in place of a demo, while the development server records it
	RecordedOf  string // the same, when it is known how many are recorded and how many there are: a format
	Unserved    string // in place of a demo, in a page that was opened from a folder
	Previous    string
	Next        string
	Footer      string // what follows is the release of Kubernetes
	FooterEnd   string // what follows the release
	MadeWith    string
	Moved       string // the title of an address that is gone
	MovedTo     string // the link to where it is now
	IsDraft     string // behind the title of one, in a list
	Draft       string // what a draft says of itself
	NoText      string // a page without a translation; the language it is in follows, as a link
	Stale       string // a translation whose original was changed: day, then the language as a link
	StaleEnd    string
	Search      string
	SearchOff   string // without script, or from a file
	NotFound    string
	NotFoundGo  string // to the book's first page
	DemoIsThere string // though the page is not
	DemoGo      string
	Home        string
	Controls    string // what can be changed with script
	Log         string // events up to a still
	MoreEvents  string // in a log: how many are left out (%d)
	WholeLog    string // the page that has all events of a demo
	Open        string // from an embedded demo to its chapter
	Chapters    string
	Appendix    string // of the bound book: the glossary
	Print       string // the whole book on one page
	PrintHint   string // on that page
	Cover       string // of a book for readers of EPUB
	Begin       string // where its text begins
	EPUBSummary string // how it can be read by those who do not see
	Exercise    string
	Question    string // an exercise that is one
	Hints       string
	Answer      string
	ToDemo      string // from an exercise to its demo
	Programme   string // of a meetup
	When        string
	DayTime     string // a day, and a time of it: a format
	Where       string
	Host        string
	Series      string
	Online      string // where a meetup is streamed
	Watch       string // the link to that
	Links       string
	Talks       string
	Slides      string
	Video       string
	TalkChapter string // of the book, about a talk
	TalkDemo    string
	Comma       string // between names
	Calendar    string // the link to a meetup as a file for calendars
	Calendars   string // the same for all meetups
	ToCome      string // of a meetup that has not been yet
	AllMeetups  string // the title of their list
	ListMeetups string // what it says of itself
	Posts       string // what previous and next lead to beside one
	Older       string
	Newer       string
	Tags        string // before a post's tags
	AllPosts    string // their list, among the newest
	ListPosts   string // what the list says of itself
	Tagged      string // the title of the posts with a tag: a format
	ListTagged  string // what their list says of itself: a format
	Subscribe   string // before the forms of a feed
	ReadTalk    string // the link from a talk's deck to its slides as a text
	StartTalk   string // the link back
	OpenDemo    string // from a slide's picture to the demo
}

var words = map[string]Words{
	"en": {
		Skip:        "Skip to content",
		Contents:    "Contents",
		AllParts:    "All parts",
		StartHere:   "Start here:",
		OnThisPage:  "On this page",
		Languages:   "Languages",
		Theme:       "Theme",
		Light:       "Light",
		Dark:        "Dark",
		System:      "System",
		Close:       "Close contents",
		Crumbs:      "Breadcrumb",
		Minutes:     "%d min read",
		Changed:     "Last updated on",
		Date:        "2 January 2006",
		Edit:        "Edit this page",
		Copied:      "Link copied",
		Offline:     "Read offline",
		Recording:   "This demo is being recorded.",
		RecordedOf:  "This demo is being recorded. Ready so far: %d of %d.",
		Unserved:    "When you open the book from a folder, demos are only pictures. On the web, they run.",
		Previous:    "Previous",
		Next:        "Next",
		Footer:      "Links to source code point to Kubernetes",
		FooterEnd:   ".",
		MadeWith:    "Made with Kubewalk.",
		Moved:       "This page has moved",
		MovedTo:     "Go to the new page",
		IsDraft:     "draft",
		Draft:       "This page is a draft. It won't be published until you remove draft: true from its front matter.",
		NoText:      "This page has not been translated yet. You are reading the original:",
		Stale:       "The original changed on",
		StaleEnd:    "after this translation was made. Read the original:",
		Search:      "Search",
		SearchOff:   "Search needs JavaScript and does not work in pages opened from a folder.",
		NotFound:    "Page not found",
		NotFoundGo:  "Go to the contents",
		DemoIsThere: "The demo that your link shows is still here.",
		DemoGo:      "Open it",
		Home:        "Home",
		Controls:    "With JavaScript you can change:",
		Log:         "What has happened so far",
		MoreEvents:  "… %d more events; the player's log has them",
		WholeLog:    "Everything that happens, in words",
		Open:        "Read the chapter",
		Chapters:    "Chapters",
		Appendix:    "Appendix",
		Print:       "Print the book",
		Cover:       "Cover",
		Begin:       "Begin reading",
		EPUBSummary: "Demos are shown as storyboards: each moment has a picture, a caption and a description of everything that happened. Images have text alternatives, and formulas are MathML.",
		PrintHint:   "This page contains the whole book. Print it from your browser, or save it as a PDF.",
		Exercise:    "Exercise",
		Question:    "Question",
		Hints:       "Hints",
		Answer:      "Answer",
		ToDemo:      "Go to the demo",
		Programme:   "Programme",
		When:        "Date",
		DayTime:     "%s, %s",
		Where:       "Place",
		Host:        "Host",
		Series:      "Series",
		Online:      "Online",
		Watch:       "Watch the stream",
		Links:       "Links",
		Talks:       "Talks",
		Slides:      "Slides",
		Video:       "Video",
		TalkChapter: "Chapter:",
		TalkDemo:    "Demo:",
		Comma:       ", ",
		Calendar:    "Add to calendar",
		Calendars:   "Add all to a calendar",
		ToCome:      "Upcoming",
		AllMeetups:  "All meetups",
		ListMeetups: "Every meetup in this book, newest first.",
		Posts:       "Posts",
		Older:       "Older",
		Newer:       "Newer",
		Tags:        "Tags:",
		AllPosts:    "All posts",
		ListPosts:   "All posts, newest first.",
		Tagged:      "Tag: %s",
		ListTagged:  "Posts with the tag “%s”, newest first.",
		Subscribe:   "Subscribe:",
		ReadTalk:    "Read all slides on one page",
		StartTalk:   "Start the deck",
		OpenDemo:    "Open the demo",
	},
	"ja": {
		Skip:        "本文へ移動",
		Contents:    "目次",
		AllParts:    "全体の目次",
		StartHere:   "はじめに読む章:",
		OnThisPage:  "このページの内容",
		Languages:   "言語",
		Theme:       "テーマ",
		Light:       "ライト",
		Dark:        "ダーク",
		System:      "システムに合わせる",
		Close:       "目次を閉じる",
		Crumbs:      "現在の位置",
		Minutes:     "約 %d 分で読めます",
		Changed:     "最終更新:",
		Date:        "2006年1月2日",
		Edit:        "このページを編集",
		Copied:      "リンクをコピーしました",
		Offline:     "オフラインで読む",
		Recording:   "このデモは記録中です。",
		RecordedOf:  "このデモは記録中です（完了 %d / %d）。",
		Unserved:    "フォルダーから開いたページでは、デモは図だけになります。Web では動かせます。",
		Previous:    "前へ",
		Next:        "次へ",
		Footer:      "ソースコードへのリンク先は Kubernetes",
		FooterEnd:   " です。",
		MadeWith:    "Kubewalk で作られています。",
		Moved:       "このページは移動しました",
		MovedTo:     "新しい場所へ",
		IsDraft:     "下書き",
		Draft:       "このページは下書きです。フロントマターに draft: true がある間は公開されません。",
		NoText:      "このページはまだ翻訳されていません。表示しているのは原文です:",
		Stale:       "原文は",
		StaleEnd:    "に変更されており、この翻訳には反映されていません。原文を見る:",
		Search:      "検索",
		SearchOff:   "検索には JavaScript が必要です。ファイルとして開いたページでは使えません。",
		NotFound:    "このページはありません",
		NotFoundGo:  "目次へ",
		DemoIsThere: "リンク先のデモは残っています。",
		DemoGo:      "デモを開く",
		Home:        "ホーム",
		Controls:    "JavaScript が有効な環境では、次の操作ができます。",
		Log:         "ここまでに起きたこと",
		MoreEvents:  "… ほか %d 件。プレーヤーのログにはすべてあります",
		WholeLog:    "起きることをすべて文章で読む",
		Open:        "この章を読む",
		Chapters:    "章",
		Appendix:    "付録",
		Print:       "本全体を印刷する",
		Cover:       "表紙",
		Begin:       "本文",
		EPUBSummary: "デモは場面ごとの図になり、それぞれに説明と、起きたことを 1 文ずつ書いたログが付きます。画像には代替テキストがあり、数式は MathML です。",
		PrintHint:   "このページに本のすべての章が入っています。ブラウザーの印刷機能で、印刷や PDF への保存ができます。",
		Exercise:    "練習問題",
		Question:    "問題",
		Hints:       "ヒント",
		Answer:      "解答",
		ToDemo:      "デモへ",
		Programme:   "プログラム",
		When:        "開催日",
		DayTime:     "%s %s",
		Where:       "会場",
		Host:        "主催",
		Series:      "シリーズ",
		Online:      "オンライン",
		Watch:       "配信を見る",
		Links:       "リンク",
		Talks:       "発表",
		Slides:      "スライド",
		Video:       "動画",
		TalkChapter: "章:",
		TalkDemo:    "デモ:",
		Comma:       "、",
		Calendar:    "カレンダーに追加",
		Calendars:   "すべてカレンダーに追加",
		ToCome:      "開催予定",
		AllMeetups:  "ミートアップ一覧",
		ListMeetups: "この本で取り上げるミートアップを、新しい順に並べています。",
		Posts:       "記事",
		Older:       "前の記事",
		Newer:       "次の記事",
		Tags:        "タグ:",
		AllPosts:    "記事一覧",
		ListPosts:   "すべての記事を、新しい順に並べています。",
		Tagged:      "タグ: %s",
		ListTagged:  "「%s」のタグが付いた記事を、新しい順に並べています。",
		Subscribe:   "フィード:",
		ReadTalk:    "スライドを 1 ページで読む",
		StartTalk:   "スライドを始める",
		OpenDemo:    "デモを開く",
	},
}

// WordsOf returns the words in a language; ok is false when pages do not speak it, and
// the words are English.
func WordsOf(language string) (w Words, ok bool) {
	if w, ok = words[language]; !ok {
		w = words["en"]
	}
	return w, ok
}
