package markdown

import (
	"fmt"
	"strings"
)

// words are the few words that extensions add to a text.
type words struct {
	Admonitions map[string]string // by kind
	Table       string
	Formula     string
	Diagram     string // a diagram that scrolls
	InWords     string // what opens a diagram's text
	Colon       string // between a note's kind and its title
	Footnote    string // with its number
	Footnotes   string
	Back        string // from a footnote to where it is referred to
	Permalink   string // to a heading
	Checked     string // of what a demo proves
	CheckedIn   string // of what a counterfactual does; %s is what is otherwise there
	Code        string // what a block of code is called
	Upstream    string // the link from an excerpt to the real source
	Folded      string // lines that are folded; %d is how many
}

var wordsByLanguage = map[string]words{
	"en": {
		Admonitions: map[string]string{"note": "Note", "tip": "Tip", "important": "Important", "warning": "Warning", "caution": "Caution",
			"real": "In the real thing", "simplified": "Simplified here"},
		Table:     "Table",
		Formula:   "Formula",
		Diagram:   "Diagram",
		InWords:   "The diagram in words",
		Colon:     ": ",
		Footnote:  "Footnote %d",
		Footnotes: "Footnotes",
		Back:      "Back to the text",
		Permalink: "Link to this section",
		Checked:   "Checked by the demo",
		CheckedIn: "Checked by the demo, what if “%s”",
		Code:      "Code",
		Upstream:  "in Kubernetes",
		Folded:    "%d lines",
	},
	"ja": {
		Admonitions: map[string]string{"note": "補足", "tip": "ヒント", "important": "重要", "warning": "注意", "caution": "警告", "real": "本物では",
			"simplified": "ここでの簡略化"},
		Table:     "表",
		Formula:   "数式",
		Diagram:   "図",
		InWords:   "図の内容",
		Colon:     "：",
		Footnote:  "脚注 %d",
		Footnotes: "脚注",
		Back:      "本文へ戻る",
		Permalink: "この節へのリンク",
		Checked:   "デモで確認済み",
		CheckedIn: "デモの「%s」で確認済み",
		Code:      "コード",
		Upstream:  "Kubernetes では",
		Folded:    "%d 行",
	},
}

// folded says how many lines are folded.
func (w words) folded(lines int) string {
	if lines == 1 {
		return strings.TrimSuffix(fmt.Sprintf(w.Folded, lines), "s")
	}
	return fmt.Sprintf(w.Folded, lines)
}

// words returns the words of the document's language; English ones for a language without.
func (d *Document) words() words {
	if w, ok := wordsByLanguage[d.Chapter.Language]; ok {
		return w
	}
	return wordsByLanguage["en"]
}
