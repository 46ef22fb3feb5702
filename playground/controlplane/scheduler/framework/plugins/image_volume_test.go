//go:build cel || !js

package plugins

func init() {
	imageVolumeScorings = []scoring{
		{"an image that a volume shows", ImageLocality, `{"containers":[{"image":"x"}],"volumes":[{"image":{"reference":"nginx"}}]}`, [][]string{
			{"a", `{"status":{"images":[{"names":["nginx:latest"],"sizeBytes":1048576000}],"allocatable":{"pods":"1"}}}`}, {"b", `{}`}}, "a=48 b=0"},
	}
}
