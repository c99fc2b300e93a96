"""What papers show: panels, tables and studies."""
