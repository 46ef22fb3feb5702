package talk

import (
	"fmt"
	"strings"
)

// readmes tell a speaker how to use the folder: the talk's title, then the demos' files.
var readmes = map[string]string{
	"en": `# %[1]s

Open index.html in Chrome, Edge, Firefox or Safari. Nothing is loaded from a network.

| key | does |
| --- | --- |
| Page Down, right arrow, space | the demo's next moment; when it has none left, the next slide |
| Page Up, left arrow | the same, backwards |
| F | full screen |
| S | speaker view: notes, clock, next slide |
| B | black screen |
| Esc | overview; in a demo, gives the keys back to the deck |

A second press while a demo is on its way to a moment goes there at once. You can click into a demo, and change it, whenever you like.

## Before the talk

- Copy this folder to the computer that will show it, and go through all slides once.
- Speaker view is a second window. In Chrome and Edge, its demos follow the ones on the screen. In a browser in which they do not, serve the folder, as with
  python3 -m http.server, and open it from there.
- If a demo fails, demos/ has it as a file of its own, and pictures/ has its moments.

## On paper

Open index.html?print-pdf in Chrome or Edge and print it: a page for each slide, with the pictures of the demos. index.html?read has all slides and notes
on one page.

## Demos

%[2]s`,
	"ja": `# %[1]s

index.html を Chrome、Edge、Firefox、Safari のどれかで開いてください。ネットワークからは何も読み込みません。

| キー | 動作 |
| --- | --- |
| Page Down、右矢印、スペース | デモの次の場面へ。場面が残っていなければ次のスライドへ |
| Page Up、左矢印 | 逆向きに同じ動作 |
| F | 全画面 |
| S | 発表者ビュー（ノート、時計、次のスライド） |
| B | 画面を黒くする |
| Esc | 一覧。デモの中では、キー操作をスライドに戻す |

場面へ向かう途中でもう一度押すと、すぐにその場面になります。デモはいつでもクリックして操作できます。

## 発表の前に

- このフォルダーを発表に使うパソコンにコピーし、すべてのスライドを一度通してください。
- 発表者ビューは別のウィンドウです。Chrome と Edge では、その中のデモが画面のデモに連動します。連動しないブラウザーでは、
  python3 -m http.server などでフォルダーを配信し、そこから開いてください。
- デモが動かなくなったら、demos/ に単独のファイルが、pictures/ に各場面の図があります。

## 印刷

Chrome か Edge で index.html?print-pdf を開いて印刷すると、1 枚のスライドが 1 ページになり、デモは図になります。
index.html?read では、すべてのスライドとノートを 1 ページで読めます。

## デモ

%[2]s`,
}

// readme is the folder's README in the talk's language, or in English.
func readme(language, title string, demos []string) []byte {
	text, ok := readmes[language]
	if !ok {
		text = readmes["en"]
	}
	var list strings.Builder
	for _, name := range demos {
		fmt.Fprintf(&list, "- demos/%s.html\n", name)
	}
	return fmt.Appendf(nil, text, title, list.String())
}
