package gotemplate

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"text/template"
	"time"
)

// data is as an object looks that kubectl prints: numbers are int64 or float64.
var data = map[string]any{
	"kind": "List", "none": nil, "empty": map[string]any{}, "yes": true, "no": false, "ratio": 1.5, "count": int64(3), "zero": int64(0),
	"secret": "aGVsbG8=",
	"items": []any{
		map[string]any{"metadata": map[string]any{"name": "web-1", "labels": map[string]any{"app": "web", "a.b/c": "x"}}, "replicas": int64(3)},
		map[string]any{"metadata": map[string]any{"name": "web-2"}, "replicas": int64(0), "none": nil},
	},
	"html": `<a href="x">Tom & 'Jerry'</a>` + "\n\x01é",
}

// templates are tried on data; the package has to do what text/template does.
var templates = []string{
	"", "text", "{{.kind}}", "{{ .kind }} {{- .kind -}} x", "{{/* nothing */}}y", "{{.}}", "{{.items}}",
	`{{range .items}}{{.metadata.name}}{{"\n"}}{{end}}`, `{{range $i, $e := .items}}{{$i}}={{$e.metadata.name}};{{end}}`, `{{range $e := .items}}{{$e.replicas}}{{end}}`,
	`{{range .empty}}x{{else}}none{{end}}`, `{{range $k, $v := (index .items 0).metadata.labels}}{{$k}}:{{$v}} {{end}}`, `{{range .none}}x{{else}}none{{end}}`,
	`{{range .items}}{{if eq .metadata.name "web-1"}}{{continue}}{{end}}{{.metadata.name}}{{end}}`, `{{range .items}}{{.metadata.name}}{{break}}{{end}}`,
	`{{range 3}}{{.}}{{end}}`, `{{range $i := .count}}{{$i}},{{end}}`, `{{range $i, $j := 3}}{{end}}`, `{{range .kind}}{{end}}`, `{{range .yes}}{{end}}`, `{{range .ratio}}{{end}}`,
	"{{if .yes}}a{{else}}b{{end}}", "{{if .no}}a{{else if .count}}b{{else}}c{{end}}", "{{if .zero}}a{{else}}b{{end}}", "{{if .missing}}a{{else}}b{{end}}", "{{if .none}}a{{end}}",
	"{{if .empty}}a{{else}}b{{end}}", "{{if .ratio}}a{{end}}", "{{if and .yes .count}}a{{end}}", "{{if or .no .missing}}a{{else}}b{{end}}", "{{and .yes .count}}", "{{or .no .kind}}",
	"{{and .no .kind}}", "{{not .yes}}", "{{not .missing}}", "{{.yes | and .count}}", "{{.missing | or .none}}",
	"{{with .kind}}{{.}}{{end}}", "{{with .missing}}x{{else}}y{{end}}", "{{with $x := .count}}{{$x}}{{$.kind}}{{end}}", "{{with .no}}a{{else with .kind}}{{.}}{{end}}",
	"{{.missing}}", "{{.missing.more}}", "{{.none}}", "{{.none.more}}", "{{.kind.more}}", "{{.count.more}}", "{{.empty.a.b}}", "{{$x := .kind}}{{$x.more}}", "{{$x := .none}}{{$x.more}}",
	"{{(index .items 0).kind.more}}", "{{range .items}}{{.none.x}}{{end}}", "{{.kind 1}}", "{{1 | .kind}}", "{{.missing.x 1}}",
	"{{$x := 1}}{{$x = 2}}{{$x}}", "{{$x := 1}}{{if .yes}}{{$x := 2}}{{end}}{{$x}}", "{{$x := 1}}{{if .yes}}{{$x = 2}}{{end}}{{$x}}", "{{$i := 0}}{{range $i = .items}}{{end}}{{$i.replicas}}",
	"{{$k := 0}}{{$v := 0}}{{range $k, $v = .items}}{{end}}{{$k}}", "{{$y}}",
	"{{len .items}}", "{{len .kind}}", "{{len .empty}}", "{{len .none}}", "{{len .count}}", "{{.items | len}}", "{{len (index .items 1).none}}", "{{len 3}}",
	"{{index .items 0}}", "{{index .items 5}}", "{{index .items 2}}", "{{index .items -1}}", `{{index .items "a"}}`, "{{index .items .none}}", `{{index .empty "a"}}`, `{{index . "kind"}}`,
	`{{index .empty 1}}`, `{{index .kind 0}}`, `{{index .kind 9}}`, `{{index .kind 4}}`, "{{index .count 1}}", "{{index .none 1}}", `{{index .empty "a" "b"}}`, "{{index .items}}",
	`{{(index .items 0).metadata.name}}`, `{{index (index .items 0).metadata.labels "a.b/c"}}`, `{{index . .none}}`,
	"{{slice .kind 1}}", "{{slice .kind 1 2}}", "{{slice .kind 2 1}}", "{{slice .kind 1 2 3}}", "{{slice .items 1}}", "{{slice .items 0 1 1}}", "{{slice .items 0 2 1}}", "{{slice .count}}",
	"{{slice .none}}", "{{slice .kind 9}}", `{{slice .kind "a"}}`, "{{slice .kind 1 2 3 4}}",
	`{{print "a" 1 2 "b" .yes}}`, `{{println .kind .count}}`, `{{printf "%s-%d-%v" .kind .count .ratio}}`, `{{printf "%q" .kind}}`, `{{.kind | printf "%-8s|"}}`, "{{printf 1}}", "{{printf .count}}",
	"{{printf}}", "{{printf nil}}", "{{printf .missing}}", "{{printf .none}}", `{{printf "%d" .missing}}`, "{{print .none}}", "{{print .missing}}", "{{print nil}}", `{{printf "%5.2f" .ratio}}`,
	"{{printf true}}", "{{.count | printf}}", "{{printf .yes}}",
	`{{eq .kind "List"}}`, `{{eq .kind "a" "List"}}`, "{{eq .count 3}}", "{{eq .count 3.0}}", `{{eq .count "3"}}`, "{{eq .kind}}", "{{eq .none nil}}", "{{eq .missing nil}}", "{{eq .missing .kind}}",
	"{{eq .empty .empty}}", "{{eq .empty .items}}", "{{eq .yes true}}", "{{ne .count 3}}", "{{ne .count}}", "{{lt .count 4}}", "{{le .count 3}}", "{{gt .count 2}}", "{{ge .count 4}}", "{{lt .kind 1}}",
	"{{lt .ratio 2.0}}", `{{lt .kind "M"}}`, "{{lt .yes true}}", "{{lt .missing 1}}", "{{gt .missing 1}}", "{{ge .yes false}}", "{{eq (index .kind 0) 76}}", "{{eq .ratio 1.5}}", "{{le .empty .empty}}",
	"{{html .html}}", "{{js .html}}", `{{urlquery "a b&c/é~"}}`, "{{html .missing}}", "{{html .none .count}}", "{{.html | html}}", "{{html 1 2}}",
	`{{base64decode .secret}}`, `{{.secret | base64decode}}`, "{{base64decode .kind}}", "{{base64decode 1}}", "{{base64decode .count}}", "{{base64decode .missing}}", "{{base64decode .none}}", "{{base64decode}}",
	`{{exists . "items" 0 "metadata"}}`, `{{exists . "items" 7}}`, `{{exists . "none"}}`, `{{exists .kind 1}}`, `{{exists .kind 9}}`, `{{exists . 1}}`, "{{exists .count 1}}", `{{exists .items "a"}}`, "{{exists .}}",
	"{{call .kind}}", "{{call .none}}", "{{.kind | call}}",
	`{{define "x"}}<{{.}}>{{end}}{{template "x" .kind}}{{template "x"}}`, `{{template "no"}}`, `{{block "b" .count}}{{.}}{{end}}`, `{{define "x"}}{{.a.b}}{{end}}{{template "x" .kind}}`,
	`{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`,
	"{{1}} {{1.5}} {{0x10}} {{'a'}} {{true}} {{1e3}}", `{{"a"}}{{"\t"}}` + "{{`raw`}}", "{{nil}}", "{{1 2}}", "{{99999999999999999999}}", "{{9223372036854775808}}",
	"{{", "{{.kind", "{{end}}", "{{nope}}", "{{range .items}}", "{{if}}{{end}}", "{{.kind | 1}}", "{{(.kind)}}", "{{break}}", "{{.items.x}}", "{{$}}", "{{$.kind}}", "{{(.items).x}}", "{{nil.x}}",
	"{{else}}", "{{template}}", `{{define "a"}}`, "a\nb {{.kind.x}}",
}

func TestTemplatesAreGos(t *testing.T) {
	for _, missing := range []bool{false, true} {
		for _, text := range templates {
			got := printed(func() (string, error) {
				tpl, err := Parse("output", text)
				if err != nil {
					return "", err
				}
				tpl.MissingKeys = missing
				return tpl.Execute(data)
			})
			want := printed(func() (string, error) {
				tpl, err := template.New("output").Funcs(template.FuncMap{"exists": upstreamExists, "base64decode": upstreamDecode}).Parse(text)
				if err != nil {
					return "", err
				}
				if missing {
					tpl.Option("missingkey=error")
				}
				var b strings.Builder
				err = tpl.Execute(&b, data)
				return b.String(), err
			})
			// How deep templates may go differs between hosts.
			if strings.Contains(want, "maximum template depth") && strings.Contains(got, "maximum template depth") {
				continue
			}
			if got != want {
				t.Errorf("%s (an error if a key is missing: %v)\ngot  %s\nwant %s", text, missing, got, want)
			}
		}
	}
}

func printed(f func() (string, error)) string {
	out, err := f()
	if err != nil {
		return fmt.Sprintf("%s%v", out, err)
	}
	return out
}

func upstreamDecode(v string) (string, error) {
	data, err := base64.StdEncoding.DecodeString(v)
	if err != nil {
		return "", fmt.Errorf("base64 decode failed: %v", err)
	}
	return string(data), nil
}

// upstreamExists is cli-runtime pkg/printers/jsonpath.go, exists, for what JSON consists of.
func upstreamExists(item any, indices ...any) bool {
	v := reflect.ValueOf(item)
	indirect := func() bool {
		for ; v.Kind() == reflect.Interface; v = v.Elem() {
			if v.IsNil() {
				return true
			}
		}
		return false
	}
	for _, i := range indices {
		index := reflect.ValueOf(i)
		if indirect() {
			return false
		}
		switch v.Kind() {
		case reflect.Slice, reflect.String:
			if !index.CanInt() {
				return false
			}
			x := index.Int()
			if x < 0 || x >= int64(v.Len()) {
				return false
			}
			v = v.Index(int(x))
		case reflect.Map:
			if !index.IsValid() {
				index = reflect.Zero(v.Type().Key())
			}
			if !index.Type().AssignableTo(v.Type().Key()) {
				return false
			}
			if x := v.MapIndex(index); x.IsValid() {
				v = x
			} else {
				v = reflect.Zero(v.Type().Elem())
			}
		default:
			return false
		}
	}
	return !indirect()
}

// A template that would go on for years, or fill all memory, ends with an error.
func TestBudget(t *testing.T) {
	for text, want := range map[string]string{
		"{{range 1000000000}}{{range 1000000000}}a{{end}}{{end}}":         "the template takes more than 1000000 steps",
		"{{range 1000000000}}{{end}}":                                     "the template takes more than 1000000 steps",
		"{{range 200000}}0123456789{{end}}":                               "the template makes more than 1048576 bytes of text",
		`{{$x := "0123456789"}}{{range 60}}{{$x = print $x $x}}{{end}}`:   "the template makes more than 1048576 bytes of text",
		`{{$x := printf "%500000d" 1}}` + strings.Repeat("{{len $x}}", 3): "the template makes more than 1048576 bytes of text",
		`{{define "a"}}{{template "b"}}{{template "b"}}{{end}}{{define "b"}}{{range 2000}}{{range 2000}}{{end}}{{end}}{{end}}{{template "a"}}`: "more than 1000000 steps",
	} {
		parsed, err := Parse("output", text)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if out, err := parsed.Execute(map[string]any{}); err == nil || !strings.Contains(err.Error(), want) || len(out) > 2<<20 {
			t.Errorf("%s: %d bytes, %v", text, len(out), err)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %v", text, took)
		}
	}
}
