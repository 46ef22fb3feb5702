package kubectl

import (
	"encoding/json"
	"testing"
)

// What upstream's own tests have of everything a printer meets. (Random objects: httpapi/conformance.)
func TestKYAML(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:   "---\n{}\n",
		`[]`:   "---\n[]\n",
		`null`: "---\nnull\n",
		`{"b":[1,"two",true,null],"a":{"no":1.5,"x-y/z":"","-x":"\"","1.5":"a\tb"}}`: `---
{
  a: {
    "-x": "\"",
    "1.5": "a	b",
    "no": 1.5,
    x-y/z: "",
  },
  b: [
    1,
    "two",
    true,
    null,
  ],
}
`,
		`{"list":[{"a":"one\n  two\n\nthree"},[],{"a":"end\n"}],"key\n":"\u0007\u00a0é"}`: `---
{
  "key\n": "\a\_é",
  list: [{
    a: "\
       one\n\
      \  two\n\
       \n\
       three\
      ",
  }, [], {
    a: "\
       end\n\
      ",
  }],
}
`,
	} {
		if got, err := KYAML(json.RawMessage(text)); got != want || err != nil {
			t.Errorf("%s\ngot (%v)\n%s\nwant\n%s", text, err, got, want)
		}
	}
}
