package httpapi

import (
	_ "embed"
	"encoding/json"
	"strings"

	"kubewalk/playground/api/schema"
)

// descriptionsText is what Kubernetes says of each type, under "", and of its fields. e2e/descriptions writes it.
//
//go:embed descriptions.json
var descriptionsText []byte

// descriptions are the texts of types and fields.
type descriptions map[string]map[string]string

// readDescriptions takes 5 ms.
func readDescriptions() descriptions {
	var out descriptions
	if err := json.Unmarshal(descriptionsText, &out); err != nil {
		panic(err) // the file is a part of the program
	}
	return out
}

// typesOf are those of a version, with their descriptions.
func (d descriptions) typesOf(gv schema.GroupVersion) map[string]map[string]any {
	return d.recordedTypes(strings.ReplaceAll(gv.String(), "/", "_") + ".json")
}

func (d descriptions) recordedTypes(file string) map[string]map[string]any {
	text, err := schemas.ReadFile("openapi/" + file)
	if err != nil {
		return map[string]map[string]any{} // a version of which nothing is recorded
	}
	var recorded struct{ Schemas map[string]map[string]any }
	if err := json.Unmarshal(text, &recorded); err != nil {
		panic(err) // the file is a part of the program
	}
	for name, t := range recorded.Schemas { // order: each is changed by itself
		texts := d[name]
		if text := texts[""]; text != "" {
			t["description"] = text
		}
		fields, _ := t["properties"].(map[string]any)
		for field, of := range fields { // order: likewise
			if text, of := texts[field], of.(map[string]any); text != "" {
				of["description"] = text
			}
		}
	}
	return recorded.Schemas
}
