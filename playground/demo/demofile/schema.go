package demofile

import (
	"bytes"
	"encoding/json"
)

// SchemaFile is what a book calls the schema.
const SchemaFile = "demo.schema.json"

// Schema is the JSON Schema of a demo's file, for editors, which mark as one types
// what a build would refuse. What takes a run, or the rest of the file, to know is not in it.
func Schema() []byte {
	definitions := object{resourceName: resourceSchema()}
	for _, f := range demoForm.all() {
		definitions[f.name] = f.schema()
	}
	whole := object{
		"$schema": "http://json-schema.org/draft-07/schema#", // which editors' YAML servers read best
		"title":   "A demo of a Kubewalk book", "definitions": definitions, "allOf": []object{of(demoForm).schema()},
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		panic("demofile: " + err.Error()) // texts, numbers and lists of them
	}
	return out.Bytes()
}
