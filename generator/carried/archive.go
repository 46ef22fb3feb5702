//go:build carried

package carried

import _ "embed" // the archive

//go:embed archive.zip
var archive []byte
