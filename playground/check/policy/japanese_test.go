package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// spellings has what is written in more than one way in Japanese, and the one way of this book: that of kubernetes.io/ja. Words that end in -er, -or or
// -ar in English end with a long vowel (サーバー, コントローラー, フォルダー); those in -y don't (メモリ, ライブラリ), and コンテナ is as it is there.
var spellings = []struct {
	wrong *regexp.Regexp
	right string // with what of wrong stands in parentheses
}{
	{regexp.MustCompile(`コンテナー`), "コンテナ"},
	{regexp.MustCompile(`(メモリ|ライブラリ|リポジトリ|バイナリ|レジストリ|ディレクトリ|エントリ|プロキシ|プロパティ|カテゴリ|クエリ|セキュリティ)ー([^ァ-ヶー]|$)`), "$1$2"},
	{regexp.MustCompile(`(コントローラ|スケジューラ|コレクタ|サーバ|ユーザ|ブラウザ|クラスタ|フォルダ|エディタ|ヘッダ|フィルタ|パラメータ|ドライバ|プロバイダ|ハンドラ|リーダ|ワーカ|` +
		`ルータ|セレクタ|マネージャ|ファイナライザ|インフォーマ|リフレクタ|オペレータ|オートスケーラ|ロードバランサ|レイヤ|ランナ|タイマ|カウンタ|コンピュータ|プリンタ)([^ァ-ヶー]|$)`), "${1}ー$2"},
	{regexp.MustCompile(`インターフェイス`), "インターフェース"},
	{regexp.MustCompile(`コントローラーマネージャ([^ー]|$)`), "コントローラーマネージャー$1"},
	{regexp.MustCompile(`演習`), "練習問題"},
	{regexp.MustCompile(`(^|[^一-龠])分か([らりるっ]|ろう)`), "${1}わか$2"}, // but 分かれる, to part, and 部分から
	{regexp.MustCompile(`気付([かきくけこい])`), "気づ$1"},
	{regexp.MustCompile(`既定`), "デフォルト"},
	{regexp.MustCompile(`サービスアカウント`), "ServiceAccount"},
	{regexp.MustCompile(`利用者|使用者`), "ユーザー"},
	{regexp.MustCompile(`揃([いうえっ])`), "そろ$1"},
	{regexp.MustCompile(`(出来)(る|た|ま|な|て)`), "でき$2"},
	{regexp.MustCompile(`全て`), "すべて"},
	{regexp.MustCompile(`例えば`), "たとえば"},
	{regexp.MustCompile(`下さい`), "ください"},
	{regexp.MustCompile(`(た|の)あと([^ 0-9{])`), "${1}後$2"}, // but あと 3 つ, three more
	{regexp.MustCompile(`あと(で|から)`), "後$1"},
	{regexp.MustCompile(`更に、`), "さらに、"},
	{regexp.MustCompile(`([ぁ-んァ-ヶー一-龠])(kubectl|kubelet|Pod|API|Node|ReplicaSet|Deployment)([^A-Za-z-]|$)`), "$1 $2$3"},
}

// japanese are the files with Japanese text: folders are gone through.
var japanese = []string{"content/ja", "content/demos", "content/glossary.yaml", "content/site.yaml", "site/words", "playground/demo/phrase/ja.json"}

// Japanese text spells a word in one way. What readers may type into the search (asked: in the glossary) is spelt as they like.
func TestJapanese(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	lines := 0
	for _, place := range japanese {
		err := filepath.WalkDir(filepath.Join(root, place), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".md", ".yaml", ".json"}, filepath.Ext(path)) {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(src), "\n") {
				if !hasKana.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "asked:") {
					continue
				}
				lines++
				for _, problem := range misspelt(line) {
					t.Errorf("%s:%d: %s", filepath.ToSlash(path[len(root)+1:]), i+1, problem)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if lines < 5000 {
		t.Fatalf("only %d lines with Japanese text: the folders are not where they were", lines)
	}
}

var hasKana = regexp.MustCompile(`[ぁ-んァ-ヶ]`)

// misspelt says what in a line is spelt otherwise than in the rest of the book.
func misspelt(line string) []string {
	var problems []string
	for _, s := range spellings {
		for _, at := range s.wrong.FindAllStringSubmatchIndex(line, -1) {
			right := s.wrong.ExpandString(nil, s.right, line, at)
			problems = append(problems, "write "+string(right)+", not "+line[at[0]:at[1]])
		}
	}
	return problems
}

func TestMisspelt(t *testing.T) {
	for line, want := range map[string]string{
		"コンテナーが起動します":     "write コンテナ, not コンテナー",
		"コンテナが起動します":      "",
		"メモリー":            "write メモリ, not メモリー",
		"エントリーポイント":       "",
		"コントローラが":         "write コントローラーが, not コントローラが",
		"コントローラー、サーバー":    "",
		"クラスタリング":         "",
		"何も分かりません":        "write もわかり, not も分かり",
		"2 つに分かれます":       "",
		"部分から":            "",
		"誰も気付きません":        "write 気づき, not 気付き",
		"やがてkubectl が削除":  "write て kubectl , not てkubectl ",
		"kubectl が、Pod を": "",
		"出来事":             "",
	} {
		if got := strings.Join(misspelt(line), "; "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
