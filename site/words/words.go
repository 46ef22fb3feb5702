// Package words has what the scripts of a page say, in English and Japanese, as
// data: the scripts are bundled with it, and the generator lists it for those who
// translate it into another language.
package words

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed *.json
var files embed.FS

// Parts are the scripts' parts that have words of their own, sorted.
func Parts() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("words: " + err.Error()) // they are in the program
	}
	var out []string
	for _, entry := range entries {
		out = append(out, strings.TrimSuffix(entry.Name(), ".json"))
	}
	return out
}

// Of is what a part says in a language: texts, and tables of texts, by name.
func Of(part, language string) map[string]any {
	text, err := files.ReadFile(part + ".json")
	if err != nil {
		panic("words: " + err.Error())
	}
	var all map[string]map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		panic(fmt.Sprintf("words: %s.json: %v", part, err))
	}
	return all[language]
}
