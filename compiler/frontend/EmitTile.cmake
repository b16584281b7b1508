# The front end's one part that needs MLIR.
tilewright_mlir_library(tilewright_emit_tile
  SOURCES
    EmitTile.cpp
    EmitTileStatements.cpp
    EmitTileExpressions.cpp
    EmitTileReports.cpp
    EmitTileElementwise.cpp
  LINK tilewright_frontend tilewright_dialect_tile)
