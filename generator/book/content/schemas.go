package content

import (
	"reflect"

	"kubewalk/generator/book/schema"
	"kubewalk/playground/demo/demofile"
)

// Schemas are the JSON Schemas of what authors write in YAML, by file name: for
// editors, which mark as one types what a build would refuse.
func Schemas() map[string][]byte {
	return map[string][]byte{
		"site.schema.json":     schema.JSON(reflect.TypeFor[Site](), "site.yaml of a Kubewalk book"),
		"chapter.schema.json":  schema.JSON(reflect.TypeFor[FrontMatter](), "Front matter of a chapter of a Kubewalk book"),
		"glossary.schema.json": schema.JSON(reflect.TypeFor[Glossary](), "glossary.yaml of a Kubewalk book"),
		"block.schema.json":    schema.JSON(reflect.TypeFor[BlockSpec](), "blocks/NAME.yaml of a Kubewalk book"),
		demofile.SchemaFile:    demofile.Schema(),
	}
}
